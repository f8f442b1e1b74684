#pragma once

#include "cli/top/lock_list.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace zklock::cli {

/// The state that `zklock top` shows.
struct top_state {
  std::string root{};
  lock_list locks;
  std::chrono::nanoseconds interval{};

  /// Whether `locks` is the result of a look.
  bool looked = false;
  bool paused = false;

  /// Whether `locks` may be out of date: there is no connection.
  bool stale = false;

  /// The state of the connection, where it is to be noticed.
  std::string status{};

  /// The result of the last action.
  std::string message{};

  /// The question that waits for a key; empty if there is none.
  std::vector<std::string> question{};

  /// Whether the line of the selected lock is shown instead of the table, and how many of its
  /// participants are scrolled away.
  bool shows_line = false;
  std::size_t line_scroll = 0;
};

enum class line_style : std::uint8_t {
  plain,
  title,
  heading,
  selected,
  notice,
  status,
  question,
  help,
};

/// A line of the screen.
struct styled_line {
  std::string text;
  line_style style = line_style::plain;
};

/// Returns the number of rows that the table has on a screen of so many lines.
std::size_t page_height(std::size_t lines) noexcept;

/// Returns the lines of the screen, at most `lines`, each of at most `columns` columns. Scrolls the
/// list so that the selected row is visible.
std::vector<styled_line> compose(top_state& state, std::size_t lines, std::size_t columns);

} // namespace zklock::cli
