import java.util.concurrent.CountDownLatch;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.leader.LeaderSelector;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListenerAdapter;

/** Leads until it is released. */
final class ElectionHolding extends LeaderSelectorListenerAdapter implements Owner.Holding {
  private final LeaderSelector selector;
  private final CountDownLatch elected = new CountDownLatch(1);
  private final CountDownLatch resigned = new CountDownLatch(1);

  ElectionHolding(CuratorFramework client, String path) {
    selector = new LeaderSelector(client, path, this);
  }

  @Override
  public void takeLeadership(CuratorFramework client) throws Exception {
    elected.countDown();
    resigned.await();
  }

  /** Waits without a time limit. */
  @Override
  public String take(long milliseconds) throws Exception {
    selector.start();
    elected.await();
    return "";
  }

  /** Resigns. The entry goes in the background. */
  @Override
  public void giveBack() {
    resigned.countDown();
  }
}
