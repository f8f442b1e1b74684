#include "cli/top/terminal_screen.hpp"

#include "cli/failure.hpp"

#include <boost/locale/encoding_utf.hpp>

#include <fcntl.h>
#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

#define NCURSES_NOMACROS
#include <curses.h>

namespace zklock::cli {

namespace {

enum colour_pair : short { notice_pair = 1, problem_pair };

std::FILE* open_terminal() {
  const int opened = ::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (opened < 0) throw failure(exit_code::system, "there is no terminal; --once needs none");
  return ::fdopen(opened, "r");
}

SCREEN* make_screen(std::FILE* input) {
  if (SCREEN* made = ::newterm(nullptr, stdout, input)) return made;
  std::fclose(input);
  const char* const type = std::getenv("TERM");
  throw failure(exit_code::system, "unknown type of terminal \"" +
                                       std::string(type == nullptr ? "" : type) +
                                       "\" in TERM; --once needs none");
}

key key_of(wint_t code) noexcept {
  switch (code) {
  case KEY_UP:
    return key::up;
  case KEY_DOWN:
    return key::down;
  case KEY_PPAGE:
    return key::page_up;
  case KEY_NPAGE:
    return key::page_down;
  case KEY_HOME:
    return key::first;
  case KEY_END:
    return key::last;
  case KEY_ENTER:
    return key::enter;
  default:
    return key::other;
  }
}

} // namespace

terminal_screen::terminal_screen(bool colours)
    : input_(open_terminal()),
      screen_(make_screen(input_)),
      utf8_(::nl_langinfo(CODESET) == std::string_view("UTF-8")),
      colours_(colours) {
  ::cbreak();
  ::noecho();
  ::nonl();
  ::keypad(stdscr, true);
  ::nodelay(stdscr, true);
  ::curs_set(0);
  // The rest of a key's sequence of characters arrives in this time, in milliseconds.
  ::set_escdelay(50);
  colours_ = colours && ::has_colors() && ::start_color() == OK && ::use_default_colors() == OK;
  if (!colours_) return;
  ::init_pair(notice_pair, COLOR_YELLOW, -1);
  ::init_pair(problem_pair, COLOR_RED, -1);
}

terminal_screen::~terminal_screen() {
  ::endwin();
  ::delscreen(screen_);
  std::fclose(input_);
}

std::size_t terminal_screen::lines() const noexcept {
  return static_cast<std::size_t>(::getmaxy(stdscr));
}

std::size_t terminal_screen::columns() const noexcept {
  return static_cast<std::size_t>(::getmaxx(stdscr));
}

void terminal_screen::resize() {
  winsize size{};
  if (::ioctl(::fileno(input_), TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0)
    ::resizeterm(size.ws_row, size.ws_col);
}

void terminal_screen::draw(const std::vector<styled_line>& page, bool dimmed) {
  ::erase();
  for (std::size_t i = 0; i < page.size(); ++i) {
    auto text = boost::locale::conv::utf_to_utf<wchar_t>(page[i].text);
    for (auto& each : text)
      if ((!utf8_ && each > 0x7e) || ::iswprint(static_cast<wint_t>(each)) == 0) each = L'?';
    const bool faint =
        dimmed && (page[i].style == line_style::plain || page[i].style == line_style::notice);
    ::attrset(faint ? static_cast<int>(A_DIM) : attributes_of(page[i].style));
    ::mvaddnwstr(static_cast<int>(i), 0, text.c_str(), static_cast<int>(text.size()));
  }
  ::attrset(static_cast<int>(A_NORMAL));
  ::refresh();
}

std::optional<key> terminal_screen::read() {
  wint_t code = 0;
  const int result = ::get_wch(&code);
  if (result == ERR) return std::nullopt;
  if (result == KEY_CODE_YES) return key_of(code);
  return code == L'\n' ? key::enter : static_cast<key>(code);
}

void terminal_screen::leave() {
  ::endwin();
}

void terminal_screen::enter() {
  ::clearok(stdscr, true);
  resize();
  ::refresh();
}

int terminal_screen::attributes_of(line_style style) const noexcept {
  const auto coloured = [this](colour_pair pair) {
    return colours_ ? COLOR_PAIR(pair) : static_cast<int>(A_BOLD);
  };
  switch (style) {
  case line_style::title:
    return static_cast<int>(A_BOLD);
  case line_style::heading:
    return static_cast<int>(A_UNDERLINE);
  case line_style::selected:
    return static_cast<int>(A_REVERSE);
  case line_style::notice:
    return coloured(notice_pair);
  case line_style::status:
    return coloured(problem_pair) | static_cast<int>(A_BOLD);
  case line_style::question:
    return static_cast<int>(A_REVERSE | A_BOLD);
  case line_style::help:
    return static_cast<int>(A_DIM);
  case line_style::plain:
    break;
  }
  return static_cast<int>(A_NORMAL);
}

} // namespace zklock::cli
