#include "cli/run/supervisor.hpp"

#include "cli/duration.hpp"
#include "cli/failure.hpp"
#include "cli/run/processes.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <utility>

namespace zklock::cli {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

constexpr auto as_result = asio::as_tuple(asio::use_awaitable);

// Equal signals within this time count once: timeout(1) sends its signal to the process and then to
// its group.
constexpr auto same_signal = 200ms;

// How often to look for processes whose end is not reported.
constexpr auto look_for_rest = 50ms;

} // namespace

supervisor::supervisor(const asio::any_io_executor& executor, const hold& held,
                       const run_options& options, end_timing timing, signal_channel& signals,
                       shared_state& state, surroundings where)
    : held_(held),
      options_(options),
      timing_(timing),
      signals_(signals),
      state_(state),
      where_(where),
      end_of_limit_(boot_clock::time_point::max()),
      timer_(executor),
      children_(executor, SIGCHLD) {
  const auto now = boot_clock::now();
  if (options.hold_limit < end_of_limit_ - now)
    end_of_limit_ = now + options.hold_limit - timing.margin_of_limit();
  // This process may be stopped as soon as the command runs.
  show_end_of_command();
  signals_.poke();
}

// The front process acts half a margin later, so only if this process cannot.
void supervisor::show_end_of_command() {
  state_.set_end_of_command(end_of_command() + timing_.margin() / 2);
}

asio::awaitable<int> supervisor::watch(std::optional<job> command) {
  command_ = std::move(command);
  const auto executor = co_await asio::this_coro::executor;
  if (command_) asio::co_spawn(executor, watch_children(), asio::detached);
  asio::co_spawn(executor, watch_loss(), asio::detached);
  asio::co_spawn(executor, watch_requests(), asio::detached);
  signals_.set_handler([this](passed_signal arrived) { on_signal(arrived); });
  if (command_) command_->reap();
  while (!over()) {
    look_at_time();
    show_end_of_command();
    co_await timer_.wait_until(next_look());
  }
  signals_.set_handler({});
  state_.set_end_of_command(boot_clock::time_point::max());
  co_return code();
}

asio::awaitable<void> supervisor::watch_children() {
  for (;;) {
    const auto [stopped, number] = co_await children_.async_wait(as_result);
    if (stopped) co_return;
    command_->reap();
    if (where_.group != 0) share_stop();
    timer_.wake();
  }
}

// The shell of a terminal must see the process stop that it has started.
void supervisor::share_stop() {
  const bool stopped = command_->stopped();
  if (stopped && find_process(where_.front).state != 'T') ::kill(where_.front, SIGSTOP);
  if (!stopped && front_stopped_) ::kill(where_.front, SIGCONT);
  front_stopped_ = stopped;
}

asio::awaitable<void> supervisor::watch_loss() {
  const auto [stopped, reason] = co_await held_.wait_lost(as_result);
  if (!stopped) on_lost(reason);
}

void supervisor::on_lost(const error_code& reason) {
  end("lost " + options_.path + ": " + reason.message(), boot_clock::now());
  timer_.wake();
}

asio::awaitable<void> supervisor::watch_requests() {
  for (;;) {
    const auto [stopped, requester] = co_await held_.wait_release_requested(as_result);
    if (stopped) co_return;
    report((requester.empty() ? "another client" : requester) + " asks for " + options_.path);
    if (options_.signal_on_request == 0) continue;
    if (command_)
      pass_on(options_.signal_on_request);
    else
      asked_ = boot_clock::now();
    timer_.wake();
  }
}

void supervisor::on_signal(passed_signal arrived) {
  const auto now = boot_clock::now();
  const int number = arrived.number;
  timer_.wake();
  if (number == 0) {
    on_front_ended();
  } else if (number == SIGCONT) {
    if (where_.group != 0 && command_) command_->signal(SIGCONT);
  } else if (!command_) {
    if (number != SIGUSR1 && number != SIGUSR2) asked_ = now;
  } else if (arrived.from_terminal && where_.group != 0) {
    // The command has got it, too, and may use it for something else.
  } else if (number != SIGTERM && number != SIGINT) {
    pass_on(number);
  } else if (!asked_) {
    asked_ = now;
    pass_on(number);
  } else if (now - *asked_ > same_signal) {
    kill_ = now;
  }
}

// From now on no signal arrives. Another process may get the id of the front process.
void supervisor::on_front_ended() {
  where_ = {};
  asked_ = boot_clock::now();
  if (!command_) return;
  kill_ = std::min(kill_, *asked_ + timing_.kill_after());
  pass_on(SIGTERM);
}

void supervisor::pass_on(int number) {
  command_->signal(number);
  // A stopped process gets it only then.
  if (number == SIGTERM || number == SIGHUP) command_->signal(SIGCONT);
}

void supervisor::end(const std::string& why, boot_clock::time_point kill) {
  if (over()) return;
  const bool at_once = kill <= boot_clock::now();
  if (!lost_ || (at_once && !killing_))
    report(why + (!command_ ? "" : at_once ? "; killing the command" : "; ending the command"));
  if (command_ && !lost_ && !at_once) pass_on(SIGTERM);
  lost_ = true;
  killing_ |= at_once;
  kill_ = std::min(kill_, kill);
}

void supervisor::look_at_time() {
  const auto now = boot_clock::now();
  const auto end_by = end_of_command();
  const bool by_limit = end_by == end_of_limit_;
  if (now >= end_by) {
    if (by_limit)
      end(options_.path + " was held for the --hold-limit of " + to_text(options_.hold_limit), now);
    else if (now >= held_.valid_until())
      end(options_.path + " may have passed on while zklock could not run", now);
    else
      end("the servers do not confirm the session, and " + options_.path + " may pass on", now);
  } else if (command_ && now >= end_by - timing_.kill_after()) {
    if (by_limit)
      end(options_.path + " is held for the --hold-limit of " + to_text(options_.hold_limit),
          end_by);
    else
      end("the servers do not confirm the session, and " + options_.path + " may pass on soon",
          end_by);
  }
  if (command_ && now >= kill_) command_->signal(SIGKILL);
}

bool supervisor::over() const {
  return command_ ? command_->gone() : asked_ || lost_;
}

boot_clock::time_point supervisor::end_of_command() const {
  // Of a lost hold it is the clock's minimum.
  const auto valid = std::max(held_.valid_until(), boot_clock::time_point(timing_.margin()));
  return std::min(valid - timing_.margin(), end_of_limit_);
}

boot_clock::time_point supervisor::next_look() const {
  const auto now = boot_clock::now();
  // Keeps the shared state fresh for the front process.
  auto next = now + timing_.margin() / 2;
  const auto end_by = end_of_command();
  if (end_by > now) next = std::min(next, end_by);
  if (!lost_ && end_by - timing_.kill_after() > now)
    next = std::min(next, end_by - timing_.kill_after());
  if (kill_ > now) next = std::min(next, kill_);
  if (command_ && command_->status()) next = std::min(next, now + look_for_rest);
  // Kills processes that were started meanwhile. A process of another user cannot be killed.
  if (now >= kill_) next = std::min(next, now + (now - kill_ < 1s ? 5ms : look_for_rest));
  return next;
}

int supervisor::code() const {
  if (lost_ || !held_.owns_lock()) return exit_code::lost;
  if (!command_) return exit_code::success;
  const int status = *command_->status();
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  if (WTERMSIG(status) == SIGINT) state_.set_last_signal(SIGINT);
  return exit_code::of_signal(WTERMSIG(status));
}

} // namespace zklock::cli
