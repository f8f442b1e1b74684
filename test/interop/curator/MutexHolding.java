import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;

/** A mutex that tells its entry. */
final class MutexHolding extends InterProcessMutex implements Owner.Holding {
  MutexHolding(CuratorFramework client, String path) {
    super(client, path);
  }

  /** One that says so when others want it back. */
  static MutexHolding revocable(CuratorFramework client, String path, Owner owner) {
    MutexHolding mutex = new MutexHolding(client, path);
    mutex.makeRevocable(lock -> owner.say("revoke_requested"));
    return mutex;
  }

  @Override
  public String take(long milliseconds) throws Exception {
    return acquire(milliseconds, TimeUnit.MILLISECONDS) ? getLockPath() : null;
  }

  @Override
  public void giveBack() throws Exception {
    release();
  }

  /** The number at the end of the entry's name: its place in line. */
  String number() {
    String node = getLockPath();
    return node.substring(node.length() - 10);
  }
}
