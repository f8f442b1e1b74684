// Measures how long a command of `zklock run` is dead before the lock passes to the next holder:
//
//   bench_child_death [LOSSES [SESSION_TIMEOUT_IN_SECONDS]]
//
// In each loss a relay cuts a run from the server, while a second run waits for the lock. Prints a
// row for each kind of loss, with the times in ms. Fails if a command was alive at a grant.

#include <zklock/testing/relay.hpp>
#include <zklock/testing/server.hpp>

#include "support/raw_client.hpp"
#include "testing/child_process.hpp"
#include "testing/temporary_directory.hpp"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <future>
#include <iomanip>
#include <iostream>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace testing = zklock::testing;
using namespace std::chrono_literals;

namespace {

using clock_type = std::chrono::steady_clock;
using milliseconds = std::chrono::duration<double, std::milli>;

// More at a time would measure how the machine is loaded.
constexpr std::size_t at_a_time = 5;

struct loss {
  testing::cut cut;
  /// The work of the command until it is ended; prints a line first.
  std::string command;
};

class end_of_process {
 public:
  explicit end_of_process(pid_t id)
      : descriptor_(static_cast<int>(::syscall(SYS_pidfd_open, id, 0))) {
    if (descriptor_ < 0) throw std::runtime_error("there is no process " + std::to_string(id));
  }
  end_of_process(const end_of_process&) = delete;
  end_of_process& operator=(const end_of_process&) = delete;
  ~end_of_process() { ::close(descriptor_); }

  clock_type::time_point wait() const {
    pollfd one{descriptor_, POLLIN, 0};
    if (::poll(&one, 1, 120'000) != 1) throw std::runtime_error("the command does not end");
    return clock_type::now();
  }

 private:
  int descriptor_;
};

std::vector<std::string> run(const std::string& servers, const std::string& timeout,
                             const std::vector<std::string>& rest) {
  std::vector<std::string> all{ZKLOCK_COMMAND,      "run",  "--servers", servers,
                               "--session-timeout", timeout};
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

void wait_for_entries(testing::raw_client& witness, const std::string& path, std::size_t count) {
  while (!witness.exists(path) || witness.children(path).size() != count)
    std::this_thread::sleep_for(5ms);
}

// Returns the time from the end of the command until the next grant.
milliseconds lose(const testing::server& server, const std::string& path, const loss& kind,
                  const std::string& timeout, unsigned seed) {
  const testing::temporary_directory logs;
  const auto log = logs.path() / "log";
  testing::raw_client witness(server.direct_address());
  testing::relay wire(server.direct_address());
  testing::child_process holder(
      {.command = run(wire.address(), timeout, {path, "sh", "-c", kind.command}),
       .piped = true,
       .log = log});
  const end_of_process end(std::stoi(holder.read_line()));
  testing::child_process waiter(
      {.command = run(server.direct_address(), timeout, {path}), .piped = true, .log = log});
  wait_for_entries(witness, path, 2);
  // At any time of the interval between two confirmations of the session.
  std::mt19937 random(seed);
  std::this_thread::sleep_for(std::uniform_int_distribution(0, 3000)(random) * 1ms);
  if (kind.cut == testing::cut::silent)
    wire.silence();
  else
    wire.refuse();

  auto granted = std::async(std::launch::async, [&waiter] {
    waiter.read_line(120s);
    return clock_type::now();
  });
  const auto ended = end.wait();
  const milliseconds before = granted.get() - ended;
  waiter.stop();
  return before;
}

std::vector<double> measure(const testing::server& server, const loss& kind, std::size_t losses,
                            const std::string& timeout) {
  static unsigned number = 0;
  std::vector<double> all;
  while (all.size() < losses) {
    std::vector<std::future<milliseconds>> together;
    for (std::size_t i = all.size(); i < losses && together.size() < at_a_time; ++i)
      together.push_back(std::async(std::launch::async, [&, n = ++number] {
        return lose(server, "/child_death/" + std::to_string(n), kind, timeout, n);
      }));
    for (auto& each : together)
      all.push_back(each.get().count());
  }
  std::ranges::sort(all);
  return all;
}

} // namespace

int main(int argc, char** argv) try {
  const std::size_t losses = argc > 1 ? std::stoul(argv[1]) : 20;
  const std::string timeout = argc > 2 ? argv[2] : "15";
  // The default of production servers.
  const testing::server server({.tick_time = 2s});
  const std::string gentle = "echo $$; exec sleep 1000";
  const std::string stubborn = "trap '' TERM; echo $$; while :; do sleep 0.1; done";
  const std::vector<std::pair<std::string, loss>> kinds{
      {"no answers, ends by SIGTERM ", {testing::cut::silent, gentle}},
      {"no answers, ignores SIGTERM ", {testing::cut::silent, stubborn}},
      {"refused, ends by SIGTERM    ", {testing::cut::closed, gentle}},
      {"refused, ignores SIGTERM    ", {testing::cut::closed, stubborn}},
  };
  bool overlap = false;
  std::cout << "dead before the next grant, in ms, over " << losses << " losses each\n"
            << "network, command                   least   median     most\n"
            << std::fixed << std::setprecision(0);
  for (const auto& [name, kind] : kinds) {
    const auto all = measure(server, kind, losses, timeout);
    std::cout << name << "  " << std::setw(9) << all.front() << std::setw(9) << all[all.size() / 2]
              << std::setw(9) << all.back() << std::endl;
    overlap |= all.front() <= 0;
  }
  return overlap ? 1 : 0;
} catch (const std::exception& e) {
  std::cerr << "bench_child_death: " << e.what() << '\n';
  return 1;
}
