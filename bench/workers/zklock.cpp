// The worker for zklock: all waiters are coroutines, on a single thread unless threads are
// measured.

#include <zklock/zklock.hpp>

#include "contexts.hpp"
#include "zklock_work.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <utility>
#include <vector>

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

zklock::client_options options_for(const bench::settings& chosen) {
  zklock::client_options options;
  options.servers = chosen.servers;
  options.session_timeout = 30s;
  options.local_handoffs = chosen.local_handoffs;
  if (chosen.cache || chosen.cached > 0) options.lock_cache.emplace();
  // A limit that is never reached.
  if (chosen.cached > 0) options.lock_cache->idle_limit = options.session_timeout;
  if (!chosen.certificate.empty())
    options.tls = {.authorities = {.file = chosen.authorities},
                   .certificate = {.file = chosen.certificate},
                   .min_version = zklock::tls_version::v1_3};
  if (chosen.held + chosen.cached > 0) options.max_path_bytes = std::size_t{900} * 1024;
  if (chosen.readers > 0) options.max_entries_per_lock = 1'000;
  if (chosen.starved > 0) options.max_path_bytes = std::size_t{4} * 1024;
  return options;
}

asio::awaitable<void> close_after(asio::awaitable<void> work, std::deque<zklock::client>& clients) {
  co_await std::move(work);
  for (auto& client : clients)
    co_await client.close();
}

asio::awaitable<void> measure(bench::zklock_worker& worker, bench::measurement& window) {
  asio::steady_timer timer(co_await asio::this_coro::executor, worker.chosen.warmup);
  co_await timer.async_wait(asio::use_awaitable);
  window.open();
  timer.expires_after(worker.chosen.window);
  co_await timer.async_wait(asio::use_awaitable);
  window.close();
  // A cached lock may be in use right now.
  if (worker.client.cached() + 1 < worker.chosen.cached)
    throw std::logic_error("some of the other locks are not cached any more");
}

asio::awaitable<void> prepare_all(std::deque<bench::zklock_worker>& workers) {
  for (auto& worker : workers)
    co_await bench::prepare(worker);
}

void run(const bench::settings& chosen) {
  bench::contexts all(std::max(chosen.contexts, chosen.clients), chosen.context_threads);
  const auto options = options_for(chosen);
  std::deque<zklock::client> clients;
  for (std::size_t i = 0; i < chosen.clients; ++i)
    clients.emplace_back(all[i], options);
  bench::measurement window(chosen);
  // Several threads cannot share samples.
  const std::size_t workers_needed = all.threads() > 1 ? chosen.waiters : 1;
  std::vector<bench::measurement::samples> seen(workers_needed,
                                                bench::measurement::samples(window));
  std::deque<bench::zklock_worker> workers;
  for (std::size_t i = 0; i < workers_needed; ++i)
    workers.push_back({chosen, options, clients[i % chosen.clients], seen[i]});
  bench::zklock_worker& first = workers.front();

  if (chosen.mode == bench::work::hold) {
    asio::co_spawn(all[0], close_after(bench::hold_it(first), clients), bench::expect_success);
    return all.run();
  }
  asio::co_spawn(all[0], prepare_all(workers), [&all](std::exception_ptr failure) {
    bench::expect_success(failure);
    all.stop();
  });
  all.run();

  bench::wait_for_go();
  // A waiter of another context may still call a client that is closed.
  auto work = asio::make_work_guard(all[0]);
  std::atomic<std::size_t> running = chosen.waiters;
  const auto end = [&](std::exception_ptr failure) {
    bench::expect_closed(failure);
    if (--running == 0) work.reset();
  };
  for (std::size_t i = 0; i < chosen.waiters; ++i)
    asio::co_spawn(all[i], bench::work_as(workers[i % workers_needed], i), end);
  asio::post(all[0], [&first] { first.place = {}; });
  asio::co_spawn(all[0], close_after(measure(first, window), clients), bench::expect_success);
  all.run();
  window.report(seen);
}

} // namespace

int main(int argc, char** argv) try {
  run(bench::read_settings(argc, argv));
} catch (const std::exception& e) {
  std::cerr << "bench_zklock: " << e.what() << '\n';
  return 1;
}
