// The worker for zklock: all waiters are coroutines on a single thread.

#include <zklock/zklock.hpp>

#include "zklock_work.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

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
  if (chosen.starved > 0) options.max_path_bytes = std::size_t{4} * 1024;
  return options;
}

asio::awaitable<void> close_after(asio::awaitable<void> work, zklock::client& client) {
  co_await std::move(work);
  co_await client.close();
}

asio::awaitable<void> measure(bench::zklock_worker& worker, bench::measurement& window) {
  asio::steady_timer timer(co_await asio::this_coro::executor, worker.chosen.warmup);
  co_await timer.async_wait(asio::use_awaitable);
  window.open();
  timer.expires_after(worker.chosen.window);
  co_await timer.async_wait(asio::use_awaitable);
  window.close();
  // One of them may be in use right now.
  if (worker.client.cached() + 1 < worker.chosen.cached)
    throw std::logic_error("some of the other locks are not cached any more");
}

void run(const bench::settings& chosen) {
  asio::io_context io{1};
  const auto options = options_for(chosen);
  zklock::client client(io, options);
  bench::measurement window(chosen);
  std::vector<bench::measurement::samples> seen(1, bench::measurement::samples(window));
  bench::zklock_worker worker{chosen, options, client, seen.front()};

  if (chosen.mode == bench::work::hold) {
    asio::co_spawn(io, close_after(bench::hold_it(worker), client), bench::expect_success);
    io.run();
    return;
  }
  asio::co_spawn(io, bench::prepare(worker), [&io](std::exception_ptr failure) {
    bench::expect_success(failure);
    io.stop();
  });
  io.run();
  io.restart();

  bench::wait_for_go();
  for (std::size_t i = 0; i < chosen.waiters; ++i)
    asio::co_spawn(io, bench::work_as(worker, i), bench::expect_closed);
  asio::post(io, [&worker] { worker.place = {}; });
  asio::co_spawn(io, close_after(measure(worker, window), client), bench::expect_success);
  io.run();
  window.report(seen);
}

} // namespace

int main(int argc, char** argv) try {
  run(bench::read_settings(argc, argv));
} catch (const std::exception& e) {
  std::cerr << "bench_zklock: " << e.what() << '\n';
  return 1;
}
