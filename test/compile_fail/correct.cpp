// The calls of the other files, without their mistakes.
#include <zklock/acquire_any.hpp>
#include <zklock/election.hpp>
#include <zklock/multi_lock.hpp>
#include <zklock/mutex.hpp>
#include <zklock/semaphore.hpp>
#include <zklock/shared_mutex.hpp>
#include <zklock/with_lock.hpp>

#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

namespace asio = boost::asio;
using namespace std::chrono_literals;

asio::awaitable<int> take_ticket_with(zklock::hold& held);
asio::awaitable<void> take_ticket_without();
asio::awaitable<int> take_tickets(zklock::multi_hold& held);

void handlers(zklock::mutex& tickets, const zklock::hold& held) {
  tickets.acquire(5s, [](zklock::error_code, zklock::hold) {});
  auto future = tickets.acquire(asio::use_future);
  tickets.acquire({.timeout = 5s}, [](auto, auto&&) {});
  tickets.acquire(0.5s, asio::detached);
  tickets.try_acquire([](zklock::error_code, const zklock::hold&) {});
  held.wait_lost([](zklock::error_code, zklock::error_code) {});
  asio::any_completion_handler<void(zklock::error_code, zklock::hold)> erased([](auto...) {});
  tickets.acquire(5s, std::move(erased));
}

asio::awaitable<void> permits(zklock::semaphore& seats, zklock::shared_mutex& prices) {
  auto two = co_await seats.acquire(2, 5s);
  auto three = co_await seats.acquire(3u, {.timeout = 5s}, asio::use_awaitable);
  auto four = co_await seats.acquire(std::size_t{4});
  auto one = co_await seats.acquire(asio::use_awaitable);
  auto reader = co_await prices.acquire_shared(5s);
  auto other = co_await prices.acquire_shared({.timeout = 5s}, asio::use_awaitable);
  auto last = co_await prices.acquire_shared();
}

asio::awaitable<int> bodies(zklock::mutex& tickets, zklock::multi_lock& all,
                            const zklock::election& sweeper) {
  co_await zklock::with_lock(tickets, 5s, take_ticket_without);
  co_await zklock::with_lock(tickets, {.timeout = 5s}, take_ticket_with);
  auto body = [](auto& held) -> asio::awaitable<void> { co_await held.release(); };
  co_await zklock::with_lock(tickets, body);
  co_await sweeper.run(take_ticket_without);
  co_return co_await zklock::with_lock(all, 5s, take_tickets);
}

asio::awaitable<void> rest(zklock::mutex& one, zklock::mutex& two, const zklock::hold& held) {
  const std::vector<zklock::any_lock> counters{one, two};
  auto [index, any] = co_await zklock::acquire_any(counters, 5s);
  zklock::acquire_any({one, two}, [](zklock::error_code, std::size_t, zklock::hold) {});
  co_await held.commit(zklock::transaction().remove("/ticket"), asio::use_awaitable);
}
