#include <zklock/testing.hpp>

#include "support/raw_client.hpp"
#include "testing/child_process.hpp"

#include <boost/test/unit_test.hpp>

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

using namespace zklock::testing;
using namespace std::chrono_literals;
using boost::unit_test::timeout;
using std::chrono::steady_clock;

namespace {

namespace fs = std::filesystem;

constexpr const char* victim_variable = "ZKLOCK_TEST_VICTIM";

/// Returns whether the process exists and is not a zombie.
bool is_alive(pid_t id) {
  std::ifstream stat("/proc/" + std::to_string(id) + "/stat");
  std::string line;
  if (!std::getline(stat, line)) return false;
  return line.substr(line.rfind(')') + 2, 1) != "Z";
}

template <typename Condition>
bool becomes_true(Condition condition) {
  for (auto end = steady_clock::now() + 20s; steady_clock::now() < end;) {
    if (condition()) return true;
    std::this_thread::sleep_for(10ms);
  }
  return condition();
}

/// Runs the test case `victim` below in another process, and returns the processes that it started.
class victim_process {
 public:
  victim_process() {
    ::setenv(victim_variable, "1", 1);
    process_.emplace(
        child_options{.command = {"/proc/self/exe", "--run_test=leftovers/victim"}, .piped = true});
    ::unsetenv(victim_variable);
    for (auto line = process_->read_line(); line != "ready"; line = process_->read_line()) {
      const auto value = line.substr(line.find(' ') + 1);
      if (line.starts_with("process ")) processes.push_back(std::stoi(value));
      if (line.starts_with("folder ")) folders.emplace_back(value);
    }
  }

  void end(int signal) {
    process_->signal(signal);
    process_->wait();
  }

  std::vector<pid_t> processes;
  std::vector<fs::path> folders;

 private:
  std::optional<child_process> process_;
};

void show(const server& one) {
  std::printf("process %d\nfolder %s\n", one.process_id(), one.data_directory().c_str());
}

} // namespace

BOOST_AUTO_TEST_SUITE(leftovers)

BOOST_AUTO_TEST_CASE(server_leaves_nothing, *timeout(60)) {
  pid_t process = 0;
  fs::path folder;
  {
    server zookeeper;
    process = zookeeper.process_id();
    folder = zookeeper.data_directory();
    BOOST_TEST(is_alive(process));
    BOOST_TEST(fs::exists(folder));
  }
  BOOST_TEST(!is_alive(process));
  BOOST_TEST(!fs::exists(folder));
}

BOOST_AUTO_TEST_CASE(halted_server_leaves_nothing, *timeout(60)) {
  pid_t process = 0;
  {
    server zookeeper;
    process = zookeeper.process_id();
    zookeeper.pause();
  }
  BOOST_TEST(!is_alive(process));
}

BOOST_AUTO_TEST_CASE(ensemble_leaves_nothing, *timeout(60)) {
  std::vector<pid_t> processes;
  fs::path folder;
  {
    ensemble zookeeper(3);
    for (std::size_t i = 0; i != 3; ++i)
      processes.push_back(zookeeper[i].process_id());
    folder = zookeeper[0].data_directory().parent_path();
    BOOST_TEST(fs::exists(folder));
  }
  for (pid_t one : processes)
    BOOST_TEST(!is_alive(one));
  BOOST_TEST(!fs::exists(folder));
}

BOOST_AUTO_TEST_CASE(server_outlives_the_thread_that_made_it, *timeout(60)) {
  std::unique_ptr<server> zookeeper;
  std::thread([&] { zookeeper = std::make_unique<server>(); }).join();
  raw_client(zookeeper->address()).ping();
  BOOST_TEST(zookeeper->running());
}

BOOST_AUTO_TEST_CASE(victim, *boost::unit_test::disabled()) {
  // It also runs where the whole suite is asked for by name.
  if (std::getenv(victim_variable) == nullptr) return;
  server alone;
  ensemble several(3);
  several[0].pause();
  show(alone);
  for (std::size_t i = 0; i != 3; ++i)
    show(several[i]);
  std::printf("ready\n");
  std::fflush(stdout);
  for (;;)
    ::pause();
}

BOOST_AUTO_TEST_CASE(killed_program_leaves_nothing, *timeout(60)) {
  for (int signal : {SIGKILL, SIGTERM}) {
    victim_process victim;
    BOOST_REQUIRE(victim.processes.size() == 4U);
    for (pid_t one : victim.processes)
      BOOST_TEST(is_alive(one));
    for (const auto& one : victim.folders)
      BOOST_TEST(fs::exists(one));
    victim.end(signal);
    for (pid_t one : victim.processes)
      BOOST_TEST(becomes_true([&] { return !is_alive(one); }));
    for (const auto& one : victim.folders) {
      BOOST_TEST(becomes_true([&] { return !fs::exists(one); }));
      if (one.filename().string().starts_with("zklock")) continue;
      BOOST_TEST(becomes_true([&] { return !fs::exists(one.parent_path()); }));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
