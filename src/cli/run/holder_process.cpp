#include "cli/run/holder_process.hpp"

#include "cli/duration.hpp"
#include "cli/failure.hpp"
#include "cli/run/start_command.hpp"
#include "support/default_log.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>

namespace zklock::cli {

namespace asio = boost::asio;

namespace {

/// The supervisor reports a lost lock, and how the command ends.
client_options without_losses(client_options options) {
  options.log = [identity = options.identity](log_level level, std::string_view line) {
    if (!line.starts_with("lost a lock ")) detail::log_to_standard_error(level, line, identity);
  };
  return options;
}

} // namespace

holder_process::holder_process(const run_options& options, detail::unique_descriptor channel,
                               shared_state& state, const inherited_signals& signals,
                               surroundings where)
    : options_(options),
      state_(state),
      inherited_(signals),
      where_(where),
      signals_(io_.get_executor(), std::move(channel)),
      zk_(io_, without_losses(options.connection)),
      keep_timer_(io_),
      release_timer_(io_) {
  inherited_.ignore();
  // A stop of the front process must not stop this process.
  ::setpgid(0, 0);
  // Processes whose parents end become children of this process.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

int holder_process::run() try {
  std::exception_ptr failed;
  int result = 0;
  asio::co_spawn(io_, signals_.listen(), asio::detached);
  asio::co_spawn(io_, work(), [&](std::exception_ptr thrown, int code) {
    failed = thrown;
    result = code;
    // Entries that are left go with the session.
    zk_.close([this](error_code) { io_.stop(); });
  });
  io_.run();
  if (failed) std::rethrow_exception(failed);
  return result;
} catch (const ended_by_signal& end) {
  if (end.number == SIGINT) state_.set_last_signal(SIGINT);
  return exit_code::of_signal(end.number);
}

asio::awaitable<int> holder_process::work() {
  const auto begun = clock::now();
  waiter_.emplace(zk_, options_, signals_);
  held_ = co_await waiter_->acquire();
  const auto granted = clock::now();
  say("acquired " + options_.path + ", token " + std::to_string(held_.token().transaction()) +
          ", after",
      begun);
  const int code = co_await run_command();
  if (held_.owns_lock()) co_await keep_until(granted + options_.hold_at_least);
  if (held_.owns_lock()) co_await release_hold();
  say("held " + options_.path + " for", granted);
  co_return code;
}

asio::awaitable<int> holder_process::run_command() {
  supervisor_.emplace(io_.get_executor(), held_, options_,
                      end_timing(options_, zk_.session_timeout()), signals_, state_, where_);
  const auto told = describe(held_, options_.path, zk_.session_id());
  if (!options_.command.empty()) co_return co_await supervisor_->watch(start(told));
  for (const auto& [name, value] : told)
    std::cout << name << '=' << value << '\n';
  std::cout.flush();
  co_return co_await supervisor_->watch(std::nullopt);
}

job holder_process::start(const variables& told) try {
  return {start_command(options_.command, environment_with(told, zk_.session_id()), where_.group,
                        inherited_),
          processes_};
} catch (const failure&) {
  // The process in front has nothing to end.
  state_.set_end_of_command(boot_clock::time_point::max());
  throw;
}

// For --hold-at-least. A signal that has ended the command, or arrives here, ends the run.
asio::awaitable<void> holder_process::keep_until(clock::time_point end) {
  if (end <= clock::now() || supervisor_->asked_to_end()) co_return;
  keep_timer_.expires_at(end);
  held_.wait_lost([this](error_code, error_code) { keep_timer_.cancel(); });
  signals_.set_handler([this](passed_signal arrived) {
    if (arrived.number != SIGCONT && arrived.number != SIGUSR1 && arrived.number != SIGUSR2)
      keep_timer_.cancel();
  });
  co_await keep_timer_.async_wait(asio::as_tuple(asio::use_awaitable));
  signals_.set_handler({});
  if (!held_.owns_lock())
    report("lost " + options_.path + " before the --hold-at-least of " +
           to_text(options_.hold_at_least) + " was over");
}

// Other clients must not find the lock taken once this program has ended.
asio::awaitable<void> holder_process::release_hold() {
  const auto left = held_.valid_until() - boot_clock::now();
  release_timer_.expires_after(std::max(left, boot_clock::duration::zero()));
  release_timer_.async_wait([this](error_code stopped) {
    if (!stopped) give_up_.emit(asio::cancellation_type::terminal);
  });
  auto token = asio::bind_cancellation_slot(give_up_.slot(), asio::as_tuple(asio::use_awaitable));
  const auto [error] = co_await held_.release(std::move(token));
  release_timer_.cancel();
  if (error)
    report("cannot release " + options_.path + ": the servers do so when the session ends");
}

void holder_process::say(const std::string& what, clock::time_point since) const {
  if (!options_.verbose) return;
  report(what + ' ' + to_text(std::chrono::round<std::chrono::milliseconds>(clock::now() - since)));
}

} // namespace zklock::cli
