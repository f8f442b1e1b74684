import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Revoker;
import org.apache.curator.framework.recipes.shared.SharedCount;
import org.apache.curator.retry.ExponentialBackoffRetry;

/**
 * Uses Curator's locks, as commands on its standard input say:
 *
 * <pre>
 * java CuratorPeer SERVERS SESSION_TIMEOUT_IN_MS
 *
 * ready                                              the client is connected
 *
 * lock NAME PATH TIMEOUT_IN_MS                       InterProcessMutex
 * read NAME PATH TIMEOUT_IN_MS                       InterProcessReadWriteLock
 * write NAME PATH TIMEOUT_IN_MS
 * semaphore NAME PATH MAX COUNT TIMEOUT_IN_MS        InterProcessSemaphoreV2
 * semaphore_shared NAME PATH LIMIT_PATH COUNT TIMEOUT_IN_MS
 *                                                    the same, its maximum in a SharedCount
 * revocable NAME PATH                                a mutex that can be revoked
 *   NAME held NODE...                                the paths of its entries; a permit's name
 *   NAME timeout
 *   NAME revoke_requested                            later; the lock stays held
 * elect NAME PATH                                    LeaderSelector
 *   NAME leading
 * downgrade NAME                                     from write to read
 *   NAME held NODE
 * unlock NAME                                        releases what NAME holds
 *   NAME released
 * work NAME PATH WORKERS TURNS FILE                  see CounterWork
 *   NAME done
 * participants NAME PATH                             the entries of a mutex, in order
 *   NAME participants NODE...
 * permit_nodes NAME PATH                             the permits of a semaphore
 *   NAME permits NODE_NAME...
 * revoke NAME NODE                                   Revoker
 *   NAME asked
 * set_count LIMIT_PATH VALUE                         SharedCount
 *   LIMIT_PATH set
 * </pre>
 *
 * A command that fails is answered by "NAME failed REASON". Names have a thread each, so that a
 * command waits for the one before it that had the same name, and for no other. The program ends
 * when its standard input does.
 */
public final class CuratorPeer {
  private final CuratorFramework client;
  private final Map<String, Owner> owners = new HashMap<>();

  private CuratorPeer(CuratorFramework client) {
    this.client = client;
  }

  public static void main(String[] arguments) throws Exception {
    CuratorFramework client = CuratorFrameworkFactory.newClient(
        arguments[0], Integer.parseInt(arguments[1]), 10_000, new ExponentialBackoffRetry(100, 5));
    client.start();
    client.blockUntilConnected();
    new CuratorPeer(client).serve();
    client.close();
    // Some threads may still wait.
    Runtime.getRuntime().halt(0);
  }

  private void serve() throws IOException {
    BufferedReader commands = new BufferedReader(new InputStreamReader(System.in));
    System.out.println("ready");
    for (String line; (line = commands.readLine()) != null;) {
      String[] words = line.split(" ");
      Owner owner = owners.computeIfAbsent(words[1], Owner::new);
      owner.run(() -> obey(owner, words));
    }
  }

  private String obey(Owner owner, String[] words) throws Exception {
    return switch (words[0]) {
      case "lock" -> owner.take(new MutexHolding(client, words[2]), words[3]);
      case "revocable" -> owner.take(MutexHolding.revocable(client, words[2], owner), "600000");
      case "read" -> owner.take(ReadWriteHolding.read(client, words[2]), words[3]);
      case "write" -> owner.take(ReadWriteHolding.write(client, words[2]), words[3]);
      case "semaphore" -> owner.take(SemaphoreHolding.of(client, words[2],
          Integer.parseInt(words[3]), Integer.parseInt(words[4])), words[5]);
      case "semaphore_shared" -> owner.take(SemaphoreHolding.shared(client, words[2], words[3],
          Integer.parseInt(words[4])), words[5]);
      case "elect" -> owner.lead(new ElectionHolding(client, words[2]));
      case "downgrade" -> owner.downgrade();
      case "unlock" -> owner.giveBack();
      case "work" -> CounterWork.run(client, words[2], Integer.parseInt(words[3]),
          Integer.parseInt(words[4]), words[5]);
      case "participants" -> list("participants",
          new InterProcessMutex(client, words[2]).getParticipantNodes());
      case "permit_nodes" -> list("permits",
          new InterProcessSemaphoreV2(client, words[2], 1).getParticipantNodes());
      case "revoke" -> {
        Revoker.attemptRevoke(client, words[2]);
        yield "asked";
      }
      case "set_count" -> setCount(words[1], Integer.parseInt(words[2]));
      default -> throw new IllegalArgumentException("unknown command " + words[0]);
    };
  }

  private String setCount(String path, int value) throws Exception {
    try (SharedCount count = new SharedCount(client, path, value)) {
      count.start();
      count.setCount(value);
    }
    return "set";
  }

  private static String list(String title, Collection<String> nodes) {
    return nodes.isEmpty() ? title : title + " " + String.join(" ", nodes);
  }
}
