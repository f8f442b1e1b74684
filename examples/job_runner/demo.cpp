// Supervises three processes that share a schedule. Kills the leader, then stops the next leader,
// and checks in the log that the job ran in a single process at a time.
//
//   job_runner_demo HOST:PORT[,HOST:PORT]...[/chroot]

#include "testing/child_process.hpp"
#include "testing/temporary_directory.hpp"

#include <chrono>
#include <csignal>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <list>
#include <stdexcept>
#include <string>

namespace fs = std::filesystem;
namespace testing = zklock::testing;
using namespace std::chrono_literals;
using std::chrono::steady_clock;

namespace {

void expect(bool right, const std::string& what) {
  if (!right) throw std::runtime_error("not so: " + what);
}

struct runner {
  std::string name;
  testing::child_process process;
};

class runners {
 public:
  runners(const std::string& servers, const testing::temporary_directory& folder) {
    const auto program = fs::read_symlink("/proc/self/exe").parent_path() / "job_runner";
    for (const std::string name : {"Ada", "Grace", "Edsger"})
      running_.push_back(
          {name, testing::child_process(testing::child_options{
                     .command = {program, "--servers", servers, "--name", name, "--log",
                                 folder.path() / "log", "--session-timeout", "4"},
                     .piped = true,
                     .kept_open = folder.lifeline()})});
  }

  /// Prints the output of the processes until a process prints the text, and returns that process.
  runner& wait_until_said(const std::string& what);

  /// Waits until the leader has run the job three times more.
  void wait_for_runs(const runner& leader) {
    for (int i = 0; i < 3; ++i)
      expect(&wait_until_said("has run") == &leader, "only " + leader.name + " runs the job");
  }

  /// Ends a process by a signal, and returns its status.
  int end(runner& one, int signal) {
    one.process.signal(signal);
    const int status = one.process.wait();
    running_.remove_if([&one](const runner& other) { return &one == &other; });
    return status;
  }

 private:
  std::list<runner> running_;
};

runner& runners::wait_until_said(const std::string& what) {
  const auto limit = steady_clock::now() + 30s;
  while (steady_clock::now() < limit)
    for (auto& one : running_)
      if (const auto line = one.process.try_read_line(10ms)) {
        std::cout << std::setw(6) << one.name << ' ' << *line << std::endl;
        if (line->starts_with(what)) return one;
      }
  throw std::runtime_error("no process says \"" + what + "\" within 30 seconds");
}

/// Checks that no run of the job begins before the run before it has ended, and that no tick and no
/// token comes twice or too late. Only the run that `killed` was in can have no end.
void check_log(const fs::path& file, const std::string& killed) {
  std::ifstream log(file);
  std::string event, name, token, last_token, open_name;
  std::int64_t tick = 0, last_tick = 0;
  int runs = 0, unended = 0;
  while (log >> event >> tick >> name >> token) {
    const auto where = " at tick " + std::to_string(tick) + " of " + name;
    if (event == "end") {
      expect(name == open_name && tick == last_tick, "a run that has begun ends" + where);
      open_name.clear();
      continue;
    }
    if (!open_name.empty())
      expect(open_name == killed && name != killed && ++unended == 1, "one run at a time" + where);
    expect(tick > last_tick, "each tick runs once" + where);
    expect(token >= last_token, "tokens rise" + where);
    open_name = name;
    last_tick = tick;
    last_token = token;
    ++runs;
  }
  expect(open_name.empty(), "the last run has ended");
  expect(runs >= 9, "three leaders have run the job three times each");
  std::cout << runs << " runs of the job, one at a time" << std::endl;
}

/// Ends the leader by a signal, and waits for the next leader. Returns the status of the former.
int replace(runners& all, runner*& leader, int signal) {
  const auto start = steady_clock::now();
  const int status = all.end(*leader, signal);
  leader = &all.wait_until_said("leads");
  const std::chrono::duration<double> taken = steady_clock::now() - start;
  std::cout << "-- " << leader->name << " leads after " << std::setprecision(2) << taken.count()
            << " s" << std::endl;
  return status;
}

void run(const std::string& servers) {
  testing::temporary_directory folder;
  runners all(servers, folder);
  auto* leader = &all.wait_until_said("leads");
  all.wait_for_runs(*leader);

  const auto killed = leader->name;
  std::cout << "-- kill -9 " << killed << ": its session of 4 seconds must expire" << std::endl;
  replace(all, leader, SIGKILL);
  all.wait_for_runs(*leader);

  std::cout << "-- kill " << leader->name << ": it gives the leadership up" << std::endl;
  expect(replace(all, leader, SIGTERM) == 0, "a stopped process ends with status 0");
  all.wait_for_runs(*leader);
  expect(all.end(*leader, SIGTERM) == 0, "the last process ends with status 0");

  check_log(folder.path() / "log", killed);
}

} // namespace

int main(int argc, char** argv) try {
  run(argc > 1 ? argv[1] : "127.0.0.1:2181");
} catch (const std::exception& e) {
  std::cerr << "job_runner_demo: " << e.what() << '\n';
  return 1;
}
