import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;

/** The lock for reading or for writing of a read/write lock of its own. */
final class ReadWriteHolding implements Owner.Holding {
  /** Curator's lock for writing, which exposes its entry here. */
  private static final class WriteLock extends InterProcessReadWriteLock.WriteLock {
    WriteLock(CuratorFramework client, String path) {
      super(client, path, null);
    }

    String node() {
      return getLockPath();
    }
  }

  /** Curator's lock for reading, which exposes its entry here. */
  private static final class ReadLock extends InterProcessReadWriteLock.ReadLock {
    ReadLock(CuratorFramework client, String path, WriteLock write) {
      super(client, path, null, write);
    }

    String node() {
      return getLockPath();
    }
  }

  private final WriteLock write;
  private final ReadLock read;
  private boolean writes;

  private ReadWriteHolding(CuratorFramework client, String path, boolean writes) {
    this.write = new WriteLock(client, path);
    this.read = new ReadLock(client, path, write);
    this.writes = writes;
  }

  static ReadWriteHolding read(CuratorFramework client, String path) {
    return new ReadWriteHolding(client, path, false);
  }

  static ReadWriteHolding write(CuratorFramework client, String path) {
    return new ReadWriteHolding(client, path, true);
  }

  @Override
  public String take(long milliseconds) throws Exception {
    return held().acquire(milliseconds, TimeUnit.MILLISECONDS) ? node() : null;
  }

  @Override
  public void giveBack() throws Exception {
    held().release();
  }

  /** Acquires the lock for reading, then releases the one for writing. */
  String downgrade() throws Exception {
    if (!writes) throw new IllegalStateException("not held for writing");
    read.acquire();
    write.release();
    writes = false;
    return node();
  }

  private InterProcessMutex held() {
    return writes ? write : read;
  }

  private String node() {
    return writes ? write.node() : read.node();
  }
}
