#pragma once

#include <zklock/client.hpp>

#include "cli/top/lock_history.hpp"
#include "cli/top/operator_action.hpp"
#include "cli/top/page.hpp"
#include "cli/top/terminal_screen.hpp"
#include "cli/top/top_options.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/experimental/channel.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <exception>
#include <optional>

namespace zklock::cli {

/// `zklock top` in a terminal: looks at the locks again and again, and obeys the keys.
///
/// Its parts are coroutines that run side by side on a single thread until the first part ends: the
/// signals, the keys, the looks, the clock and the actions.
class live_view {
 public:
  /// Takes over the terminal.
  live_view(client& zk, const top_options& options);

  /// Returns the exit code. Throws `system_error` where the locks cannot be looked at.
  boost::asio::awaitable<int> run();

 private:
  using clock = std::chrono::steady_clock;
  using part = boost::asio::awaitable<void>;

  part end_of(part one);
  part obey_signals();
  part obey_keys();
  part look_repeatedly();
  part redraw_repeatedly();
  part act_repeatedly();

  part look();
  void show(std::vector<found_lock> locks);
  bool obey(key pressed);
  void obey_in_table(key pressed);
  void move(std::ptrdiff_t by);
  void answer(key pressed);
  void start(operator_action::kind what);
  void toggle_line();
  void set_interval(std::chrono::nanoseconds interval);
  void suspend();
  void check_connection();
  void draw();

  client& zk_;
  // Before the screen: ncurses handles the signals that have no handler.
  boost::asio::signal_set signals_;
  terminal_screen screen_;
  boost::asio::posix::stream_descriptor keys_;
  boost::asio::steady_timer next_look_;
  boost::asio::experimental::channel<void(error_code, operator_action)> actions_;
  lock_history history_;
  top_state state_;
  // To be performed if the answer is yes.
  operator_action asked_{};
  // The lock whose line is shown.
  std::string line_path_{};
  std::optional<clock::time_point> look_started_{};
  std::optional<clock::time_point> lost_since_{};
  bool ended_ = false;
  int code_ = 0;
  std::exception_ptr problem_{};
};

} // namespace zklock::cli
