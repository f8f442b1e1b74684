// Uses locks of many paths for as long as it is told, while connections are cut and sessions
// expire. Between rounds of five seconds it takes a sample of the program and the server: no count
// may grow.
#include <zklock/testing/relay.hpp>
#include <zklock/testing/server.hpp>

#include "soak/churn.hpp"
#include "soak/sample.hpp"
#include "support/argument_list.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace soak;
using namespace std::chrono_literals;
namespace testing = zklock::testing;

struct settings {
  double minutes = 1;
  std::size_t paths = 5'000;
  std::string samples;
};

// The counts that show that the run has had its faults.
struct totals {
  std::uint64_t cuts = 0;
  std::uint64_t silences = 0;
};

asio::awaitable<void> sleep_until(asio::io_context& io, clock::time_point time) {
  asio::steady_timer timer(io, time);
  co_await timer.async_wait(asio::use_awaitable);
}

// A silence of three seconds is longer than the session timeout.
asio::awaitable<void> disturb(asio::io_context& io, testing::relay& door, std::size_t round,
                              totals& done) {
  const auto start = clock::now();
  co_await sleep_until(io, start + 1s);
  door.cut();
  ++done.cuts;
  if (round % 3 != 0) co_return;
  co_await sleep_until(io, start + 1500ms);
  door.silence();
  ++done.silences;
  co_await sleep_until(io, start + 4500ms);
  door.heal();
}

asio::awaitable<void> run(asio::io_context& io, const settings& chosen,
                          const testing::server& server, testing::relay& door,
                          std::vector<sample>& all, totals& done) {
  churn load(io, door.address(), chosen.paths);
  std::ofstream file(chosen.samples);
  write_names(file);
  const auto start = clock::now();
  const auto end = start + std::chrono::duration_cast<clock::duration>(
                               std::chrono::duration<double, std::ratio<60>>(chosen.minutes));
  // Each third of the samples has a round with expired sessions.
  for (std::size_t round = 1; clock::now() < end || all.size() < 9; ++round) {
    asio::co_spawn(io, disturb(io, door, round, done), [](std::exception_ptr failure) {
      if (failure) std::rethrow_exception(failure);
    });
    co_await load.work_until(clock::now() + 5s);
    if (round % 4 == 0) co_await load.replace_a_client();
    co_await load.rest();
    // A connection that its client has closed has two descriptors until the relay has heard of it.
    door.wait_for_connections(churn::clients);
    all.push_back(take_sample(server));
    all.back().seconds = std::chrono::duration<double>(clock::now() - start).count();
    all.back().grants = load.grants();
    file << all.back() << std::flush;
  }
  std::printf(
      "%zu paths, %.1f minutes, %llu grants, %llu cuts, %llu silences, %llu sessions expired\n",
      chosen.paths, chosen.minutes, static_cast<unsigned long long>(load.grants()),
      static_cast<unsigned long long>(done.cuts), static_cast<unsigned long long>(done.silences),
      static_cast<unsigned long long>(load.expiries()));
  if (load.expiries() == 0) throw std::runtime_error("no session has expired");
  co_await load.close();
}

int judge(const std::vector<sample>& all) {
  write_names(std::cout);
  for (const std::size_t i : {all.size() / 3, all.size() - 1})
    std::cout << all[i];
  const auto found = grown(all);
  for (const auto& each : found)
    std::puts(each.c_str());
  return found.empty() ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace

int main(int count, char** arguments) try {
  settings chosen;
  zklock::test::argument_list known("test_soak");
  known.value("--minutes", "M", [&](const char* text) {
    chosen.minutes = std::strtod(text, nullptr);
    return chosen.minutes > 0;
  });
  known.value("--paths", "N", [&](const char* text) {
    chosen.paths = std::strtoul(text, nullptr, 10);
    return chosen.paths > 0;
  });
  known.value("--samples", "FILE", [&](const char* text) {
    chosen.samples = text;
    return true;
  });
  if (!known.parse(count, arguments)) return EXIT_FAILURE;

  testing::server_options options;
  options.container_check_interval = 1s;
  testing::server server(options);
  testing::relay door(server.direct_address());
  asio::io_context io{1};
  std::vector<sample> all;
  totals done;
  std::exception_ptr failure;
  asio::co_spawn(io, run(io, chosen, server, door, all, done),
                 [&](std::exception_ptr thrown) { failure = thrown; });
  io.run();
  if (failure) std::rethrow_exception(failure);
  return judge(all);
} catch (const std::exception& failure) {
  std::fprintf(stderr, "test_soak: %s\n", failure.what());
  return EXIT_FAILURE;
}
