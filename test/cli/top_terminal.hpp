#pragma once

#include "cli/terminal.hpp"
#include "cli/users.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace zklock::test {

/// A terminal for `zklock top`, and programs that use locks.
struct top_terminal : users {
  top_terminal() { screen.resize(200, 40); }

  /// Starts `zklock top` and waits for its first look.
  void start(const std::string& options = "") {
    screen.type("zklock top --interval 0.1 --server-tick 500ms " + options + " " + root +
                "; echo code=$?");
    screen.wait_for_text(" held, ");
  }

  /// Returns the row of a lock below the root, or the empty text.
  std::string row_of(const std::string& name, bool attributes = false) {
    for (const auto& each : screen.lines(attributes))
      if (each.find(root + "/" + name + " ") != each.npos && each.find("zklock top") == each.npos)
        return each;
    return {};
  }

  /// Waits until the row of a lock has `words`, in their order and with spaces between them.
  void wait_for_row(const std::string& name, const std::vector<std::string>& words) {
    wait_until([&] {
      const auto row = row_of(name) + ' ';
      std::size_t at = 0;
      return std::ranges::all_of(words, [&](const std::string& word) {
        const auto found = row.find(' ' + word + ' ', at);
        at = found + word.size() + 1;
        return found != row.npos;
      });
    });
  }

  /// Returns the line of the screen that the row of a lock is at.
  std::size_t position_of(const std::string& name) {
    const auto all = screen.lines();
    const auto found = std::ranges::find_if(
        all, [&](const std::string& line) { return line.starts_with(root + "/" + name + " "); });
    return static_cast<std::size_t>(found - all.begin());
  }

  terminal screen;
};

} // namespace zklock::test
