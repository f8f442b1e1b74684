import java.util.Collection;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;
import org.apache.curator.framework.recipes.shared.SharedCount;

/** Permits of a semaphore. */
final class SemaphoreHolding implements Owner.Holding {
  private final InterProcessSemaphoreV2 semaphore;
  private final SharedCount limit;
  private final int count;
  private Collection<Lease> leases;

  private SemaphoreHolding(InterProcessSemaphoreV2 semaphore, SharedCount limit, int count) {
    this.semaphore = semaphore;
    this.limit = limit;
    this.count = count;
  }

  static SemaphoreHolding of(CuratorFramework client, String path, int max, int count) {
    return new SemaphoreHolding(new InterProcessSemaphoreV2(client, path, max), null, count);
  }

  /** An unset maximum is set to 1. */
  static SemaphoreHolding shared(CuratorFramework client, String path, String limitPath, int count)
      throws Exception {
    SharedCount limit = new SharedCount(client, limitPath, 1);
    limit.start();
    return new SemaphoreHolding(new InterProcessSemaphoreV2(client, path, limit), limit, count);
  }

  @Override
  public String take(long milliseconds) throws Exception {
    leases = semaphore.acquire(count, milliseconds, TimeUnit.MILLISECONDS);
    if (leases != null) {
      return leases.stream().map(Lease::getNodeName).collect(Collectors.joining(" "));
    }
    close();
    return null;
  }

  @Override
  public void giveBack() throws Exception {
    semaphore.returnAll(leases);
    close();
  }

  private void close() throws Exception {
    if (limit != null) limit.close();
  }
}
