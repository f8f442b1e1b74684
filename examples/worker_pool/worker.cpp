// A process of a pool of workers. A semaphore limits how many workers of all processes call a slow
// service at a time, however many processes there are.
//
//   worker_pool --log FILE [--servers HOST:PORT[,...][/chroot]] [--limit N] [--workers N] ...

#include <zklock/zklock.hpp>

#include "examples/command_line.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <exception>
#include <fstream>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

struct settings {
  std::string servers;
  std::string log;
  int limit;
  int workers;
  int jobs;
};

/// The service, which bears only so many calls at a time. Here it takes 50 ms, and writes a line
/// when a call begins and when it ends.
class slow_service {
 public:
  explicit slow_service(const std::string& log) : log_(log, std::ios::app) {
    if (!log_) throw std::runtime_error("cannot write " + log);
  }

  asio::awaitable<void> call() {
    write("begin\n");
    asio::steady_timer work(co_await asio::this_coro::executor, 50ms);
    co_await work.async_wait(asio::use_awaitable);
    write("end\n");
  }

 private:
  // A single write for each line, so that the lines of several processes do not mix.
  void write(const char* line) { log_ << line << std::flush; }

  std::ofstream log_;
};

/// Does jobs until none are left. Without a semaphore, nothing limits the calls.
asio::awaitable<void> work(slow_service& service, std::optional<zklock::semaphore> permits,
                           int& jobs) {
  auto body = [&service] { return service.call(); };
  while (jobs > 0) {
    --jobs;
    if (permits)
      co_await zklock::with_lock(*permits, 30s, body);
    else
      co_await service.call();
  }
}

/// Returns an empty value after printing the help.
std::optional<settings> parse(int argc, char** argv) {
  settings chosen{};
  command_line line("worker_pool: does jobs that call a slow service");
  auto add = line.add();
  line.add_servers(chosen.servers);
  add("log", options::value(&chosen.log)->required(), "the file to which each call is appended");
  add("limit", options::value(&chosen.limit)->default_value(3),
      "how many calls at a time, over all processes; 0: no limit");
  add("workers", options::value(&chosen.workers)->default_value(4), "workers in this process");
  add("jobs", options::value(&chosen.jobs)->default_value(20), "jobs of this process");

  if (!line.parse(argc, argv)) return std::nullopt;
  return chosen;
}

} // namespace

int main(int argc, char** argv) try {
  const auto chosen = parse(argc, argv);
  if (!chosen) return 0;

  asio::io_context io{1};
  zklock::client client(io, {.servers = chosen->servers});
  // All users of the path must agree on the limit.
  std::optional<zklock::semaphore> permits;
  if (chosen->limit > 0) permits.emplace(client, "/locks/slow-service", chosen->limit);
  slow_service service(chosen->log);

  int jobs = chosen->jobs;
  int working = chosen->workers;
  auto done = [&client, &working](std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
    if (--working == 0) client.close(asio::detached);
  };
  for (int i = 0; i < chosen->workers; ++i)
    asio::co_spawn(io, work(service, permits, jobs), done);
  io.run();
} catch (const std::exception& e) {
  std::cerr << "worker_pool: " << e.what() << '\n';
  return 1;
}
