#pragma once

#include "cli/top/page.hpp"
#include "support/unique_descriptor.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <vector>

struct screen; // of ncurses

namespace zklock::cli {

/// A key: a character, or a special key.
enum class key : std::uint32_t {
  enter = 0x0d,
  escape = 0x1b,
  // Beyond all characters.
  up = 0x110000,
  down,
  page_up,
  page_down,
  first,
  last,
  other,
};

/// The terminal, through ncurses. The terminal is restored by the destructor.
///
/// It reads keys from `/dev/tty`, which it opens itself. Asio makes its descriptors non-blocking,
/// and the shell shares the open file of standard input.
///
/// ncurses leaves signals alone that have a handler already.
class terminal_screen {
 public:
  /// Throws `failure` without a terminal, or if the terminal is not known.
  explicit terminal_screen(bool colours);
  ~terminal_screen();
  terminal_screen(const terminal_screen&) = delete;
  terminal_screen& operator=(const terminal_screen&) = delete;

  std::size_t lines() const noexcept;
  std::size_t columns() const noexcept;

  /// Takes over the size of the terminal after it has changed.
  void resize();

  /// Draws the lines; dimmed if they are out of date.
  void draw(const std::vector<styled_line>& page, bool dimmed);

  /// Returns the next key that was pressed; no value if there is none.
  std::optional<key> read();

  /// Gives the terminal to the shell, and takes it back.
  void leave();
  void enter();

  /// Returns the descriptor that is readable once a key was pressed.
  int descriptor() const noexcept { return ::fileno(input_); }

 private:
  int attributes_of(line_style style) const noexcept;

  std::FILE* input_;
  ::screen* screen_;
  bool utf8_;
  bool colours_;
};

} // namespace zklock::cli
