// Runs jobs in three processes, first with a semaphore of three permits and then without,
// and counts in the log of the slow service how many calls it had to bear at a time.
//
//   worker_pool_demo HOST:PORT[,HOST:PORT]...[/chroot]
//
// The status is 0 only if the semaphore let three calls run at a time, and never more.

#include "testing/child_process.hpp"
#include "testing/temporary_directory.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace fs = std::filesystem;
namespace testing = zklock::testing;
using std::chrono::steady_clock;

namespace {

constexpr int processes = 3, workers = 4, jobs = 20, limit = 3;

/// The calls of the slow service.
struct calls {
  int in_all = 0;
  int most_at_once = 0;
};

calls read_log(const fs::path& file) {
  calls seen;
  int now = 0;
  std::ifstream log(file);
  for (std::string line; std::getline(log, line);) {
    if (line == "begin") {
      ++seen.in_all;
      seen.most_at_once = std::max(seen.most_at_once, ++now);
    } else {
      --now;
    }
  }
  if (now != 0) throw std::runtime_error("not all calls have ended");
  return seen;
}

calls run(const std::string& servers, int permits) {
  testing::temporary_directory folder;
  const auto log = folder.path() / "log";
  const auto start = steady_clock::now();
  std::vector<testing::child_process> pool;
  for (int i = 0; i < processes; ++i)
    pool.emplace_back(testing::child_options{
        .command = {fs::read_symlink("/proc/self/exe").parent_path() / "worker_pool", "--servers",
                    servers, "--log", log, "--limit", std::to_string(permits), "--workers",
                    std::to_string(workers), "--jobs", std::to_string(jobs)},
        .kept_open = folder.lifeline()});
  for (auto& one : pool)
    if (one.wait() != 0) throw std::runtime_error("a process failed: " + one.how_it_ended());
  const std::chrono::duration<double> taken = steady_clock::now() - start;

  const auto seen = read_log(log);
  std::printf("%-17s %5d %17d %9.1f\n", permits > 0 ? "with semaphore" : "without semaphore",
              seen.in_all, seen.most_at_once, taken.count());
  std::fflush(stdout);
  return seen;
}

} // namespace

int main(int argc, char** argv) try {
  const std::string servers = argc > 1 ? argv[1] : "127.0.0.1:2181";
  std::printf("%d processes of %d workers, %d jobs each; a semaphore of %d permits\n\n", processes,
              workers, jobs, limit);
  std::printf("%-17s %5s %17s %9s\n", "", "calls", "most at one time", "seconds");
  const auto limited = run(servers, limit);
  const auto unlimited = run(servers, 0);
  if (limited.in_all != processes * jobs || unlimited.in_all != processes * jobs)
    throw std::runtime_error("jobs were lost");
  if (limited.most_at_once != limit)
    throw std::runtime_error("the semaphore did not let 3 calls run at a time, and never more");
  if (unlimited.most_at_once <= limit)
    throw std::runtime_error("without the semaphore, the calls were no more at a time");
} catch (const std::exception& e) {
  std::cerr << "worker_pool_demo: " << e.what() << '\n';
  return 1;
}
