// Cuts the server of many holders off from its leader at random moments. Checks that no other
// client gets a lock while its hold may be valid:
//
//   test_cuts [--rounds N] [--seed N] [--longest SECONDS]
//
// In each round the holders are idle, paused, stalled or slow before the cut. Each kind of holder
// has session timeouts of 4, 10, 15 and 30 s, up to the longest asked for, and three check
// intervals: the default, 250 ms and the longest allowed. The program prints each margin, and exits
// with 1 if a margin is negative.

#include <zklock/testing.hpp>
#include <zklock/zklock.hpp>

#include "client/check_timing.hpp"
#include "testing/child_process.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <optional>
#include <random>
#include <sstream>
#include <thread>
#include <vector>

using namespace std::chrono_literals;
using namespace zklock;
namespace asio = boost::asio;
using std::chrono::milliseconds;

namespace {

constexpr auto tick = 2'000ms;

struct setting {
  milliseconds session;
  milliseconds interval;
};

std::vector<setting> settings(milliseconds longest) {
  std::vector<setting> all;
  for (const auto session : {4'000ms, 10'000ms, 15'000ms, 30'000ms})
    if (session <= longest)
      for (const auto interval :
           {0ms, 250ms, zklock::detail::check_timing(0ms, tick).longest_interval(session)})
        all.push_back({session, interval});
  return all;
}

enum mode : std::size_t { idle, paused, stalled, slow, modes };
constexpr std::array<const char*, modes> names{"idle", "paused", "stalled", "slow"};

constexpr std::size_t most_settings = 12;

/// Shared with the holders' processes: the latest time until which each hold is valid.
struct board {
  std::array<std::array<std::atomic<std::int64_t>, most_settings>, modes> valid_until;
};

std::string path_of(std::size_t round, std::size_t which, std::size_t setting) {
  return "/cuts/" + std::to_string(round) + "-" + names[which] + "-" + std::to_string(setting);
}

/// A process: a client and a hold for each setting. Acquires at "acquire", blocks its loop at
/// "stall MILLISECONDS", and ends with its standard input.
class holder {
 public:
  holder(board& shown, std::size_t which, const std::string& servers, std::size_t round,
         milliseconds longest)
      : shown_(shown), which_(which), all_(settings(longest)), holds_(all_.size()) {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      clients_.emplace_back(io_, client_options{.servers = servers,
                                                .session_timeout = all_[i].session,
                                                .log = [](log_level, std::string_view) {},
                                                .server_tick = tick,
                                                .check_interval = all_[i].interval});
      locks_.emplace_back(clients_.back(), path_of(round, which, i));
    }
  }

  void run() {
    asio::co_spawn(io_, serve(), [](std::exception_ptr) { std::_Exit(0); });
    watcher_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
    io_.run();
  }

 private:
  asio::awaitable<void> serve() {
    asio::posix::stream_descriptor in(io_, ::dup(STDIN_FILENO));
    for (std::string text;;) {
      const auto size = co_await asio::async_read_until(in, asio::dynamic_buffer(text), '\n',
                                                        asio::use_awaitable);
      std::istringstream line(text.substr(0, size - 1));
      text.erase(0, size);
      std::string command;
      long time = 0;
      line >> command >> time;
      if (command == "acquire") acquire_all();
      // The loop is blocked.
      if (command == "stall") std::this_thread::sleep_for(milliseconds(time));
    }
  }

  void acquire_all() {
    for (std::size_t i = 0; i < all_.size(); ++i)
      locks_[i].acquire([this, i](error_code error, hold got) {
        if (!error) holds_[i] = std::move(got);
        held_[i].store(!error, std::memory_order_release);
        if (++done_ == all_.size()) std::cout << "acquired" << std::endl;
      });
  }

  void watch(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      for (std::size_t i = 0; i < all_.size(); ++i) {
        if (!held_[i].load(std::memory_order_acquire)) continue;
        const auto until = holds_[i].valid_until().time_since_epoch().count();
        auto& shown = shown_.valid_until[which_][i];
        if (until > shown) shown = until;
      }
      std::this_thread::sleep_for(1ms);
    }
  }

  board& shown_;
  const std::size_t which_;
  const std::vector<setting> all_;
  asio::io_context io_{1};
  std::vector<client> clients_;
  std::vector<mutex> locks_;
  std::vector<hold> holds_;
  std::array<std::atomic<bool>, most_settings> held_{};
  std::size_t done_ = 0;
  std::jthread watcher_;
};

struct options {
  std::size_t rounds = 1;
  std::uint64_t seed = std::random_device{}();
  milliseconds longest = 10s;
};

class experiment {
 public:
  experiment(board& shown, int memory, options chosen)
      : shown_(shown),
        options_(chosen),
        all_(settings(chosen.longest)),
        random_(static_cast<std::minstd_rand::result_type>(chosen.seed)),
        memory_(memory) {}

  /// Returns whether no lock was held twice at a time.
  bool run() {
    for (std::size_t round = 0; round < options_.rounds; ++round)
      run(round);
    for (std::size_t which = 0; which < modes; ++which)
      for (std::size_t i = 0; i < all_.size(); ++i)
        std::printf("%-8s session %5ld ms interval %5ld ms: least margin %7.3f s\n", names[which],
                    static_cast<long>(all_[i].session.count()),
                    static_cast<long>(all_[i].interval.count()), least_[which][i]);
    std::printf("%zu cuts, %zu holds, least margin %.3f s, %zu overlaps\n", options_.rounds, holds_,
                worst_, overlaps_);
    return overlaps_ == 0 && holds_ > 0;
  }

 private:
  milliseconds random(milliseconds from, milliseconds to) {
    return milliseconds(
        std::uniform_int_distribution<milliseconds::rep>(from.count(), to.count())(random_));
  }

  static void sleep(milliseconds time) { std::this_thread::sleep_for(time); }

  void run(std::size_t round) {
    auto& leader = servers_.leader(60s);
    auto& follower = servers_.follower(60s);
    testing::relay slow_way(follower.direct_address());
    for (auto& row : shown_.valid_until)
      for (auto& each : row)
        each = 0;

    std::vector<testing::child_process> holders;
    for (std::size_t which = 0; which < modes; ++which)
      holders.emplace_back(testing::child_options{
          .command = {"/proc/self/exe", "--hold", std::to_string(which),
                      which == slow ? slow_way.address() : follower.direct_address(),
                      std::to_string(round), std::to_string(options_.longest.count())},
          .piped = true,
          .kept_open = memory_});
    // The disturbances start at any moment of the servers' pings.
    for (std::size_t which = paused; which < modes; ++which) {
      holders[which].write_line("acquire");
      holders[which].read_line();
    }
    sleep(random(0ms, 4s));
    // In the longer rounds the leader has not heard of the holders for most of a session timeout.
    const auto trouble = random(0ms, 2) == 0ms ? random(200ms, 4s) : random(5s, 9s);
    holders[paused].signal(SIGSTOP);
    holders[stalled].write_line("stall " + std::to_string(trouble.count()));
    slow_way.delay(testing::direction::to_client, std::min(trouble, 1'200ms));
    sleep(trouble);
    slow_way.delay(testing::direction::to_client, 0ms);
    holders[paused].signal(SIGCONT);
    holders[idle].write_line("acquire");
    holders[idle].read_line();
    // With and without time to prove the holds again.
    sleep(random(0ms, 2) == 0ms ? random(0ms, 3s) : random(0ms, 40ms));
    follower.cut_from_peers(random(0ms, 1) == 0ms ? testing::cut::silent : testing::cut::closed);
    wait_for_others(round, leader);
    holders.clear();
    servers_.heal();
    servers_.wait_until_serving(60s);
  }

  milliseconds random(milliseconds from, int to) { return random(from, milliseconds(to)); }

  void wait_for_others(std::size_t round, testing::server& leader) {
    asio::io_context io{1};
    client zk(io, {.servers = leader.direct_address(),
                   .session_timeout = 30s,
                   .log = [](log_level, std::string_view) {},
                   .server_tick = tick});
    std::array<std::array<boot_clock::time_point, most_settings>, modes> granted{};
    std::vector<mutex> locks;
    std::size_t left = modes * all_.size();
    for (std::size_t which = 0; which < modes; ++which)
      for (std::size_t i = 0; i < all_.size(); ++i) {
        locks.emplace_back(zk, path_of(round, which, i));
        locks.back().acquire(options_.longest + 60s, [&, which, i](error_code error, hold got) {
          const auto now = boot_clock::now();
          if (!error) granted[which][i] = now;
          if (!error) got.release(asio::detached);
          if (--left == 0) zk.close([&](error_code) { io.stop(); });
        });
      }
    io.run();
    for (std::size_t which = 0; which < modes; ++which)
      for (std::size_t i = 0; i < all_.size(); ++i)
        note(round, which, i, granted[which][i]);
    std::fflush(stdout);
  }

  void note(std::size_t round, std::size_t which, std::size_t i, boot_clock::time_point granted) {
    const auto until = boot_clock::time_point(boot_clock::duration(shown_.valid_until[which][i]));
    if (granted == boot_clock::time_point{} || until == boot_clock::time_point{}) return;
    const double margin = std::chrono::duration<double>(granted - until).count();
    ++holds_;
    overlaps_ += margin < 0;
    worst_ = std::min(worst_, margin);
    least_[which][i] = std::min(least_[which][i], margin);
    if (margin < 0)
      std::printf("round %zu, %s, session %ld ms, interval %ld ms: both held for %.3f s\n", round,
                  names[which], static_cast<long>(all_[i].session.count()),
                  static_cast<long>(all_[i].interval.count()), -margin);
  }

  board& shown_;
  const options options_;
  const std::vector<setting> all_;
  std::minstd_rand random_;
  const int memory_;
  testing::ensemble servers_{3, {.tick_time = tick, .sync_limit = 40, .start_timeout = 60s}};
  std::size_t holds_ = 0;
  std::size_t overlaps_ = 0;
  double worst_ = std::numeric_limits<double>::infinity();
  std::array<std::array<double, most_settings>, modes> least_ = [] {
    std::array<std::array<double, most_settings>, modes> all;
    for (auto& row : all)
      row.fill(std::numeric_limits<double>::infinity());
    return all;
  }();
};

constexpr const char* board_variable = "ZKLOCK_CUTS_BOARD";

board& map_board(int descriptor) {
  void* const memory =
      ::mmap(nullptr, sizeof(board), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) throw std::runtime_error("no shared memory");
  return *static_cast<board*>(memory);
}

} // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> given(arguments + 1, arguments + count);
  if (!given.empty() && given[0] == "--hold") {
    holder(map_board(std::atoi(std::getenv(board_variable))), std::stoul(given[1]), given[2],
           std::stoul(given[3]), milliseconds(std::stol(given[4])))
        .run();
    return EXIT_SUCCESS;
  }
  options chosen;
  for (std::size_t i = 0; i + 1 < given.size(); i += 2) {
    if (given[i] == "--rounds") chosen.rounds = std::stoul(given[i + 1]);
    if (given[i] == "--seed") chosen.seed = std::stoull(given[i + 1]);
    if (given[i] == "--longest") chosen.longest = std::chrono::seconds(std::stol(given[i + 1]));
  }
  const int memory = ::memfd_create("cuts", MFD_CLOEXEC);
  if (memory < 0 || ::ftruncate(memory, sizeof(board)) != 0) return EXIT_FAILURE;
  ::setenv(board_variable, std::to_string(memory).c_str(), 1);
  std::printf("seed %llu\n", static_cast<unsigned long long>(chosen.seed));
  return experiment(map_board(memory), memory, chosen).run() ? EXIT_SUCCESS : EXIT_FAILURE;
}
