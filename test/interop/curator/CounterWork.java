import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.curator.framework.CuratorFramework;

/**
 * Counts in a file that only the lock protects. Appends to FILE.order the numbers of the entries
 * that held the lock.
 */
final class CounterWork {
  private CounterWork() {}

  static String run(CuratorFramework client, String path, int workers, int turns, String file)
      throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(workers);
    try {
      // A mutex for each: waiters that share one wake each other at every turn.
      Callable<Void> work = () -> count(new MutexHolding(client, path), turns, file);
      List<Future<Void>> all = new ArrayList<>();
      for (int i = 0; i < workers; ++i) all.add(threads.submit(work));
      for (Future<Void> each : all) each.get();
    } finally {
      threads.shutdownNow();
    }
    return "done";
  }

  private static Void count(MutexHolding lock, int turns, String file) throws Exception {
    Path counter = Path.of(file);
    Path order = Path.of(file + ".order");
    for (int i = 0; i < turns; ++i) {
      lock.acquire();
      try {
        int number = Integer.parseInt(Files.readString(counter));
        Files.writeString(counter, Integer.toString(number + 1));
        Files.writeString(order, lock.number() + "\n", StandardOpenOption.CREATE,
            StandardOpenOption.APPEND);
      } finally {
        lock.release();
      }
    }
    return null;
  }
}
