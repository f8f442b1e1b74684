#include "cli/top/live_view.hpp"

#include <zklock/error.hpp>

#include "cli/exit_code.hpp"
#include "cli/text.hpp"
#include "cli/text_table.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>

namespace zklock::cli {

namespace {

namespace asio = boost::asio;

constexpr std::chrono::milliseconds redraw_interval{500};
constexpr std::size_t most_actions = 16;

// A look that takes longer is mentioned.
constexpr std::chrono::seconds long_look{2};

bool is_hung_up(int descriptor) noexcept {
  pollfd polled{.fd = descriptor, .events = POLLIN, .revents = 0};
  return ::poll(&polled, 1, 0) > 0 && (polled.revents & (POLLHUP | POLLERR)) != 0;
}

} // namespace

live_view::live_view(client& zk, const top_options& options)
    : zk_(zk),
      signals_(zk.get_executor(), SIGINT, SIGTERM, SIGHUP),
      screen_([this] {
        for (const int each : {SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT})
          signals_.add(each);
        return colours_wanted();
      }()),
      keys_(zk.get_executor(), ::dup(screen_.descriptor())),
      next_look_(zk.get_executor()),
      actions_(zk.get_executor(), most_actions),
      history_(options.stuck_after.time),
      state_{.root = options.root,
             .locks = lock_list(options.sort),
             .interval = options.interval.time} {}

asio::awaitable<int> live_view::run() {
  using namespace asio::experimental::awaitable_operators;
  check_connection();
  draw();
  co_await (end_of(obey_signals()) || end_of(obey_keys()) || end_of(look_repeatedly()) ||
            end_of(redraw_repeatedly()) || end_of(act_repeatedly()));
  if (problem_) std::rethrow_exception(problem_);
  co_return code_;
}

// An exception of a part must end the other parts too.
live_view::part live_view::end_of(part one) {
  try {
    co_await std::move(one);
  } catch (...) {
    if (!ended_) problem_ = std::current_exception();
  }
  ended_ = true;
}

live_view::part live_view::obey_signals() {
  for (;;) {
    const int number = co_await signals_.async_wait(asio::use_awaitable);
    switch (number) {
    case SIGWINCH:
      screen_.resize();
      draw();
      break;
    case SIGTSTP:
      suspend();
      break;
    case SIGCONT:
      screen_.enter();
      draw();
      break;
    default:
      code_ = exit_code::of_signal(number);
      co_return;
    }
  }
}

live_view::part live_view::obey_keys() {
  for (;;) {
    co_await keys_.async_wait(asio::posix::descriptor_base::wait_read, asio::use_awaitable);
    bool any = false;
    while (const auto pressed = screen_.read()) {
      any = true;
      if (!obey(*pressed)) co_return;
    }
    if (!any && is_hung_up(keys_.native_handle())) {
      code_ = exit_code::of_signal(SIGHUP);
      co_return;
    }
    draw();
  }
}

live_view::part live_view::look_repeatedly() {
  for (;;) {
    const auto begin = clock::now();
    if (!state_.paused) co_await look();
    // The servers have as much time without this search as with it, at least.
    const auto taken = clock::now() - begin;
    next_look_.expires_after(
        std::max(std::chrono::duration_cast<std::chrono::nanoseconds>(taken), state_.interval));
    error_code woken;
    co_await next_look_.async_wait(asio::redirect_error(asio::use_awaitable, woken));
  }
}

live_view::part live_view::redraw_repeatedly() {
  asio::steady_timer timer(zk_.get_executor());
  for (;;) {
    timer.expires_after(redraw_interval);
    co_await timer.async_wait(asio::use_awaitable);
    draw();
  }
}

live_view::part live_view::act_repeatedly() {
  for (;;) {
    auto action = co_await actions_.async_receive(asio::use_awaitable);
    state_.message = co_await perform(zk_, std::move(action));
    next_look_.cancel();
    draw();
  }
}

live_view::part live_view::look() {
  error_code error;
  look_started_ = clock::now();
  auto locks =
      co_await zk_.find_locks(state_.root, asio::redirect_error(asio::use_awaitable, error));
  look_started_.reset();
  const bool unreachable = error == boost::system::errc::not_connected;
  if (error == errc::no_node) {
    if (!state_.looked) state_.message = printable(state_.root) + " does not exist";
    error.clear();
  }
  if (error && (!unreachable || !state_.looked)) throw boost::system::system_error(error);
  if (!error) show(std::move(locks));
  draw();
}

void live_view::show(std::vector<found_lock> locks) {
  // It was paused meanwhile.
  if (state_.paused) return;
  state_.locks.show(history_.add(
      std::move(locks), {.steady = clock::now(), .wall = std::chrono::system_clock::now()}));
  state_.looked = true;
  const auto* selected = state_.locks.selected();
  if (!state_.shows_line || (selected != nullptr && selected->lock.path == line_path_)) return;
  state_.shows_line = false;
  state_.message = printable(line_path_) + " is gone";
}

// Stops as a program without a handler does.
void live_view::suspend() {
  screen_.leave();
  signals_.remove(SIGTSTP);
  ::raise(SIGTSTP);
  signals_.add(SIGTSTP);
}

void live_view::check_connection() {
  const auto now = clock::now();
  state_.stale = !zk_.connected();
  state_.status.clear();
  if (!state_.stale) {
    lost_since_.reset();
    if (look_started_ && now - *look_started_ >= long_look)
      state_.status = "the servers are slow: this look takes " + age_text(now - *look_started_);
    return;
  }
  if (!lost_since_) lost_since_ = now;
  const auto age = age_text(now - *lost_since_);
  state_.status = state_.looked ? "no connection for " + age + "; the locks are as they were then"
                                : "connecting for " + age;
}

void live_view::draw() {
  check_connection();
  screen_.draw(compose(state_, screen_.lines(), screen_.columns()), state_.stale);
}

} // namespace zklock::cli
