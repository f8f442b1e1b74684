// Runs a schedule in a single process of several. Each process is a candidate; the leader runs the
// job, and another candidate takes over when the leader ends, crashes or is cut off.
//
//   job_runner --log FILE [--servers HOST:PORT[,...][/chroot]] [--name NAME] ...
//
// The job is due four times a second by the clock of the machine, and takes 50 ms. It is not
// repeated after a failure, and ticks that were due while no process led are left out.

#include <zklock/zklock.hpp>

#include "examples/command_line.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/system_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <csignal>
#include <exception>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

struct settings {
  std::string servers;
  std::string log;
  std::string name;
  int session_timeout;
};

/// A run of the job in the log: a line at its begin, and a line at its end, also if it is
/// cancelled.
class run_in_log {
 public:
  run_in_log(std::ofstream& log, const std::string& what) : log_(log), what_(what) {
    write("begin ");
  }
  ~run_in_log() { write("end "); }
  run_in_log(const run_in_log&) = delete;
  run_in_log& operator=(const run_in_log&) = delete;

 private:
  // A single write for each line, so that the lines of several processes do not mix.
  void write(const std::string& event) { log_ << event + what_ + '\n' << std::flush; }

  std::ofstream& log_;
  std::string what_;
};

class runner {
 public:
  explicit runner(const settings& chosen) : name_(chosen.name), log_(chosen.log, std::ios::app) {
    if (!log_) throw std::runtime_error("cannot write " + chosen.log);
  }

  /// Runs the schedule while this process leads. It is cancelled before another process can lead.
  asio::awaitable<void> lead(zklock::hold& hold);

 private:
  asio::awaitable<void> run_job(std::string what);

  std::string name_;
  std::ofstream log_;
};

asio::awaitable<void> runner::lead(zklock::hold& hold) {
  std::cout << "leads, with token " << hold.token() << std::endl;
  asio::system_timer due(co_await asio::this_coro::executor);
  for (;;) {
    constexpr auto interval = 250ms;
    const auto now = std::chrono::system_clock::now();
    const auto tick = now.time_since_epoch() / interval + 1;
    due.expires_at(std::chrono::system_clock::time_point(tick * interval));
    co_await due.async_wait(asio::use_awaitable);

    std::ostringstream what;
    what << tick << ' ' << name_ << ' ' << hold.token();
    co_await run_job(what.str());
    std::cout << "has run the job of tick " << tick << std::endl;
  }
}

// Any coroutine can be here. Cancellation needs no code: the awaited operation throws.
asio::awaitable<void> runner::run_job(std::string what) {
  run_in_log entry(log_, what);
  asio::steady_timer work(co_await asio::this_coro::executor, 50ms);
  co_await work.async_wait(asio::use_awaitable);
}

asio::awaitable<void> run(runner& schedule, zklock::client& client) {
  zklock::election candidate(client, "/locks/schedule");
  std::cout << "is a candidate" << std::endl;
  auto body = [&schedule](zklock::hold& hold) { return schedule.lead(hold); };
  co_await candidate.run(body);
}

/// Returns an empty value after printing the help.
std::optional<settings> parse(int argc, char** argv) {
  settings chosen{};
  command_line line("job_runner: runs a schedule in one of several processes");
  auto add = line.add();
  line.add_servers(chosen.servers);
  add("log", options::value(&chosen.log)->required(), "the file to which each run is appended");
  add("name", options::value(&chosen.name)->default_value("runner"), "the name in the log");
  add("session-timeout", options::value(&chosen.session_timeout)->default_value(15),
      "seconds until another process takes over from one that has crashed");

  if (!line.parse(argc, argv)) return std::nullopt;
  return chosen;
}

} // namespace

int main(int argc, char** argv) try {
  const auto chosen = parse(argc, argv);
  if (!chosen) return 0;

  asio::io_context io{1};
  zklock::client client(io, {.servers = chosen->servers,
                             .session_timeout = std::chrono::seconds(chosen->session_timeout),
                             .identity = chosen->name});
  runner schedule(*chosen);

  // A signal cancels the job first, and then gives the leadership up: no process waits for the
  // session to expire.
  bool stopped = false;
  asio::cancellation_signal stop;
  asio::signal_set signals(io, SIGINT, SIGTERM);
  signals.async_wait([&stop, &stopped](auto error, int) {
    if (error) return;
    stopped = true;
    stop.emit(asio::cancellation_type::terminal);
  });
  auto ended = [&client, &signals, &stopped](std::exception_ptr failure) {
    signals.cancel();
    client.close([failure, &stopped](zklock::error_code) {
      if (failure && !stopped) std::rethrow_exception(failure);
    });
  };
  asio::co_spawn(io, run(schedule, client), asio::bind_cancellation_slot(stop.slot(), ended));
  io.run();
} catch (const std::exception& e) {
  std::cerr << "job_runner: " << e.what() << '\n';
  return 1;
}
