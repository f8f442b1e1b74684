import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** One name of the protocol: its hold, and its thread, since Curator's locks belong to a thread. */
final class Owner {
  /** Something that can be acquired and released. */
  interface Holding {
    /** Returns the entries, or null on a timeout. */
    String take(long milliseconds) throws Exception;

    void giveBack() throws Exception;
  }

  private final String name;
  private final ExecutorService thread = Executors.newSingleThreadExecutor(task -> {
    Thread created = new Thread(task);
    created.setDaemon(true);
    return created;
  });
  private Holding holding = null;

  Owner(String name) {
    this.name = name;
  }

  /** Runs a command after all earlier ones, and prints its answer. */
  void run(Callable<String> command) {
    thread.execute(() -> {
      try {
        say(command.call());
      } catch (Throwable failure) {
        say("failed " + failure.toString().replace('\n', ' '));
      }
    });
  }

  void say(String answer) {
    System.out.println(name + " " + answer);
  }

  String take(Holding wanted, String milliseconds) throws Exception {
    if (holding != null) throw new IllegalStateException(name + " holds something");
    String entries = wanted.take(Long.parseLong(milliseconds));
    if (entries == null) return "timeout";
    holding = wanted;
    return "held " + entries;
  }

  String lead(Holding wanted) throws Exception {
    take(wanted, "0");
    return "leading";
  }

  String downgrade() throws Exception {
    return "held " + ((ReadWriteHolding) holding).downgrade();
  }

  String giveBack() throws Exception {
    if (holding == null) throw new IllegalStateException(name + " holds nothing");
    holding.giveBack();
    holding = null;
    return "released";
  }
}
