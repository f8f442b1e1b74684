// The keys of `zklock top`.
#include "cli/text.hpp"
#include "cli/top/live_view.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace zklock::cli {

namespace {

constexpr std::chrono::milliseconds shortest_interval{100};
constexpr std::chrono::minutes longest_interval{1};

constexpr key key_for(char character) noexcept {
  return static_cast<key>(character);
}

} // namespace

// Returns false for a key that ends the program.
bool live_view::obey(key pressed) {
  if (!state_.question.empty()) {
    answer(pressed);
    return true;
  }
  state_.message.clear();
  switch (static_cast<std::uint32_t>(pressed)) {
  case 'q':
    return false;
  case 'a':
    start(operator_action::kind::ask);
    break;
  case 'b':
    start(operator_action::kind::break_lock);
    break;
  case ' ':
    state_.paused = !state_.paused;
    if (!state_.paused) next_look_.cancel();
    break;
  case '+':
    set_interval(state_.interval * 2);
    break;
  case '-':
    set_interval(state_.interval / 2);
    next_look_.cancel();
    break;
  case 's':
    if (!state_.shows_line) state_.locks.sort_by_next();
    break;
  case static_cast<std::uint32_t>(key::enter):
    toggle_line();
    break;
  case static_cast<std::uint32_t>(key::escape):
    if (state_.shows_line) toggle_line();
    break;
  default:
    obey_in_table(pressed);
  }
  return true;
}

void live_view::obey_in_table(key pressed) {
  const auto page = static_cast<std::ptrdiff_t>(page_height(screen_.lines()));
  if (pressed == key::up || pressed == key_for('k')) move(-1);
  if (pressed == key::down || pressed == key_for('j')) move(1);
  if (pressed == key::page_up) move(-page);
  if (pressed == key::page_down) move(page);
  if (state_.shows_line) return;
  if (pressed == key::first || pressed == key_for('g')) state_.locks.move_to_first();
  if (pressed == key::last || pressed == key_for('G')) state_.locks.move_to_last();
}

void live_view::move(std::ptrdiff_t by) {
  if (!state_.shows_line) {
    state_.locks.move(by);
    return;
  }
  const auto to = static_cast<std::ptrdiff_t>(state_.line_scroll) + by;
  state_.line_scroll = static_cast<std::size_t>(std::max<std::ptrdiff_t>(to, 0));
}

void live_view::answer(key pressed) {
  state_.question.clear();
  if (pressed != key_for('y') && pressed != key_for('Y')) {
    state_.message = "nothing was deleted";
    return;
  }
  if (!actions_.try_send(error_code(), std::move(asked_)))
    state_.message = "too many actions are under way";
}

void live_view::start(operator_action::kind what) {
  const auto* selected = state_.locks.selected();
  if (selected == nullptr) return;
  operator_action action{.what = what, .targets = holders_of(selected->lock)};
  if (action.targets.empty()) {
    state_.message = "nothing holds " + printable(selected->lock.path);
  } else if (what == operator_action::kind::break_lock) {
    state_.question = question_for(action);
    asked_ = std::move(action);
  } else if (!actions_.try_send(error_code(), std::move(action))) {
    state_.message = "too many actions are under way";
  }
}

void live_view::toggle_line() {
  const auto* selected = state_.locks.selected();
  state_.shows_line = !state_.shows_line && selected != nullptr;
  state_.line_scroll = 0;
  if (!state_.shows_line) return;
  line_path_ = selected->lock.path;
  // It stays at this lock, also as the first row.
  state_.locks.move(0);
}

void live_view::set_interval(std::chrono::nanoseconds interval) {
  state_.interval =
      std::clamp<std::chrono::nanoseconds>(interval, shortest_interval, longest_interval);
}

} // namespace zklock::cli
