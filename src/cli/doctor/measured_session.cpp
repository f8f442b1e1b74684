#include "cli/doctor/measured_session.hpp"

#include <zklock/mutex.hpp>
#include <zklock/transaction.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace zklock::cli {

namespace asio = boost::asio;

namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;
using std::chrono::system_clock;

// The smallest value that at least so many of a hundred do not exceed.
nanoseconds percentile(const std::vector<nanoseconds>& sorted, double percent) {
  const auto rank = std::ceil(percent / 100 * static_cast<double>(sorted.size()));
  return sorted[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

asio::awaitable<nanoseconds> time_cycle(mutex& lock, milliseconds limit) {
  const auto start = steady_clock::now();
  hold held = co_await lock.acquire(limit);
  co_await held.release();
  co_return steady_clock::now() - start;
}

// A node shows the servers' time at its creation, between two times of this machine's clock.
asio::awaitable<milliseconds> compare_clocks(mutex& lock, milliseconds limit) {
  const auto before = std::chrono::floor<milliseconds>(system_clock::now());
  hold held = co_await lock.acquire(limit);
  const auto after = std::chrono::floor<milliseconds>(system_clock::now());
  const auto holders = co_await lock.holders();
  co_await held.release();
  if (holders.empty()) co_return milliseconds::zero();
  const auto theirs = std::chrono::floor<milliseconds>(holders.front().queued_since);
  if (theirs > after) co_return theirs - after;
  co_return theirs < before ? theirs - before : milliseconds::zero();
}

} // namespace

asio::awaitable<void> try_session(const client_options& wanted, session_result& result) {
  const auto executor = co_await asio::this_coro::executor;
  const auto last_line = std::make_shared<std::string>();
  auto options = wanted;
  options.log = [last_line](log_level level, std::string_view line) {
    if (level >= log_level::warning) *last_line = line;
  };
  const auto start = steady_clock::now();
  client zk(executor, options);
  // Every ensemble has this node; a chroot has it not.
  const auto found = co_await zk.find_locks("/zookeeper", 0, asio::as_tuple(asio::deferred));
  const auto& error = std::get<0>(found);
  if (error != errc::no_node && error != errc::no_chroot) result.error = error;
  result.timeout = zk.session_timeout();
  result.tls = zk.stats().tls;
  result.time = steady_clock::now() - start;
  co_await zk.close(asio::as_tuple(asio::deferred));
  result.detail = *last_line;
}

asio::awaitable<lock_cost> measure_lock(client& zk, std::string directory, std::size_t cycles,
                                        milliseconds limit) {
  // Once a server has answered there is a session, whose id no other client has.
  co_await mutex(zk, directory).holders();
  const auto own =
      directory + "/session-" + std::to_string(static_cast<std::uint64_t>(zk.session_id()));
  mutex lock(zk, own);
  lock_cost result{.cycles = cycles};
  result.clock_ahead = co_await compare_clocks(lock, limit);
  // The first cycles make the directory and get to know it.
  for (int i = 0; i < 2; ++i)
    co_await time_cycle(lock, limit);
  std::vector<nanoseconds> times;
  for (std::size_t i = 0; i < cycles; ++i)
    times.push_back(co_await time_cycle(lock, limit));
  std::sort(times.begin(), times.end());
  result.median = percentile(times, 50);
  result.p99 = percentile(times, 99);
  mutex whole(zk, directory);
  hold held = co_await whole.acquire(limit);
  co_await held.commit(transaction().remove(own));
  co_await held.release();
  co_return result;
}

} // namespace zklock::cli
