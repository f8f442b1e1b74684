import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.ExponentialBackoffRetry;

/**
 * The worker for Curator: a thread and a mutex for each waiter. Waiters that share a mutex object
 * wake each other all the time.
 */
public final class CuratorWorker {
  private final Settings settings;
  private final CuratorFramework client;
  private final long keep;
  private final long pause;
  private final Measurement window;
  private final CountDownLatch started = new CountDownLatch(1);
  private volatile boolean stopped = false;

  private CuratorWorker(Settings settings) {
    this.settings = settings;
    this.keep = settings.keepNanoseconds();
    this.pause = settings.pauseNanoseconds();
    this.window = new Measurement(settings);
    this.client = CuratorFrameworkFactory.newClient(
        settings.servers(), 30_000, 15_000, new ExponentialBackoffRetry(100, 3));
  }

  public static void main(String[] arguments) {
    try {
      new CuratorWorker(new Settings(arguments)).run();
    } catch (Throwable failure) {
      fail(failure);
    }
    System.out.flush();
    // Waiter threads may still sleep.
    Runtime.getRuntime().halt(0);
  }

  private static void fail(Throwable failure) {
    failure.printStackTrace();
    System.err.flush();
    Runtime.getRuntime().halt(1);
  }

  private void run() throws Exception {
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
    client.start();
    client.blockUntilConnected();
    if (settings.mode().equals("hold")) {
      InterProcessMutex lock = new InterProcessMutex(client, settings.lockOf(0));
      lock.acquire();
      System.out.println("ready");
      while (input.readLine() != null) {}
      lock.release();
    } else {
      prepare();
      System.out.println("ready");
      if (!"go".equals(input.readLine())) throw new IllegalStateException("expected go");
      started.countDown();
      TimeUnit.NANOSECONDS.sleep(settings.warmupNanoseconds());
      window.open();
      TimeUnit.NANOSECONDS.sleep(settings.windowNanoseconds());
      window.close();
      stopped = true;
      window.report();
    }
    client.close();
  }

  private void prepare() throws Exception {
    InterProcessMutex first = new InterProcessMutex(client, settings.path() + "/prepare");
    first.acquire();
    first.release();
    for (int i = 0; i < settings.held(); ++i)
      new InterProcessMutex(client, settings.path() + "/held-" + i).acquire();
    for (int i = 0; i < settings.waiters(); ++i) {
      int waiter = i;
      Samples seen = window.newSamples();
      Thread thread = new Thread(() -> work(waiter, seen));
      thread.setDaemon(true);
      thread.start();
    }
  }

  private void work(int waiter, Samples seen) {
    try {
      started.await();
      switch (settings.mode()) {
        case "cycle" -> keepCycling(waiter, seen);
        case "first_use" -> useEachOnce(waiter, seen);
        default -> keepTrying(waiter, seen);
      }
    } catch (Throwable failure) {
      // Closing the client ends waits with various errors.
      if (!stopped) fail(failure);
    }
  }

  private void keepCycling(int waiter, Samples seen) throws Exception {
    InterProcessMutex lock = new InterProcessMutex(client, settings.lockOf(waiter));
    while (!stopped) {
      if (pause > 0)
        TimeUnit.NANOSECONDS.sleep(ThreadLocalRandom.current().nextLong(pause + 1));
      cycle(lock, seen);
    }
  }

  private void useEachOnce(int waiter, Samples seen) throws Exception {
    for (long turn = 0; !stopped; ++turn)
      cycle(new InterProcessMutex(client, settings.path() + "/" + waiter + "-" + turn), seen);
  }

  private void cycle(InterProcessMutex lock, Samples seen) throws Exception {
    long begin = System.nanoTime();
    lock.acquire();
    long held = System.nanoTime();
    if (keep > 0) TimeUnit.NANOSECONDS.sleep(keep);
    long released = System.nanoTime();
    lock.release();
    seen.add(begin, held, released, System.nanoTime());
  }

  private void keepTrying(int waiter, Samples seen) throws Exception {
    InterProcessMutex lock = new InterProcessMutex(client, settings.lockOf(waiter));
    while (!stopped) {
      long begin = System.nanoTime();
      if (lock.acquire(0, TimeUnit.SECONDS))
        throw new IllegalStateException("a try acquired a lock that another process holds");
      long end = System.nanoTime();
      seen.add(begin, end, end, end);
    }
  }
}
