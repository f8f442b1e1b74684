// Locks are values: a temporary, a const lock and a lock that ends before the operation will do.
#include <zklock/zklock.hpp>

using namespace std::chrono_literals;

boost::asio::awaitable<void> take_ticket();

boost::asio::awaitable<void> sell(const zklock::client& client) {
  const zklock::shared_mutex book(client, "/book");
  const zklock::semaphore desks(client, "/desks", 3);
  co_await zklock::with_lock(zklock::mutex(client, "/tickets"), 5s, take_ticket);
  co_await zklock::with_lock(book.shared(), take_ticket);
  co_await zklock::with_lock(desks.permits(2), {.timeout = 5s}, take_ticket);
  co_await zklock::with_lock(zklock::multi_lock(book, desks.permits(2)), take_ticket);
  co_await zklock::election(client, "/seller").run(take_ticket);
  const zklock::hold hold = co_await zklock::mutex(client, "/tickets").acquire(5s);
}
