import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;

/** A mutex that exposes its entry. */
final class MutexHolding extends InterProcessMutex implements Owner.Holding {
  MutexHolding(CuratorFramework client, String path) {
    super(client, path);
  }

  /** A mutex that reports release requests. */
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

  /** The sequence number at the end of the entry's name. */
  String number() {
    String node = getLockPath();
    return node.substring(node.length() - 10);
  }
}
