#include "cli/top/lock_list.hpp"

#include "cli/failure.hpp"

#include <algorithm>
#include <array>

namespace zklock::cli {

namespace {

constexpr std::array<std::string_view, 4> sort_names{"waiters", "longest", "handovers", "path"};

bool comes_before(const lock_row& left, const lock_row& right, sort_key key) {
  switch (key) {
  case sort_key::waiters:
    if (left.waiters != right.waiters) return left.waiters > right.waiters;
    break;
  case sort_key::longest:
    if (left.longest_wait != right.longest_wait) return left.longest_wait > right.longest_wait;
    break;
  case sort_key::handovers:
    if (left.handovers != right.handovers) return left.handovers > right.handovers;
    break;
  case sort_key::path:
    break;
  }
  return std::pair(left.lock.path, left.lock.type) < std::pair(right.lock.path, right.lock.type);
}

} // namespace

std::string_view name_of(sort_key key) noexcept {
  return sort_names.at(static_cast<std::size_t>(key));
}

sort_key parse_sort_key(const std::string& text) {
  const auto found = std::ranges::find(sort_names, text);
  if (found == sort_names.end())
    throw usage_error("invalid value \"" + text +
                      "\" of --sort: must be waiters, longest, handovers or path");
  return static_cast<sort_key>(found - sort_names.begin());
}

void lock_list::show(std::vector<lock_row> rows) {
  rows_ = std::move(rows);
  sort();
}

void lock_list::sort_by_next() {
  key_ = static_cast<sort_key>((static_cast<std::size_t>(key_) + 1) % sort_names.size());
  sort();
}

const lock_row* lock_list::selected() const noexcept {
  return rows_.empty() ? nullptr : &rows_[selected_];
}

void lock_list::move(std::ptrdiff_t by) {
  if (rows_.empty()) return;
  const auto last = static_cast<std::ptrdiff_t>(rows_.size()) - 1;
  const auto to = static_cast<std::ptrdiff_t>(selected_) + by;
  selected_ = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(to, 0, last));
  keep_selection();
}

void lock_list::move_to_first() {
  selected_ = 0;
  kept_ = {};
}

void lock_list::move_to_last() {
  if (rows_.empty()) return;
  selected_ = rows_.size() - 1;
  keep_selection();
}

std::size_t lock_list::first_visible(std::size_t height) {
  height = std::max<std::size_t>(height, 1);
  first_ = std::min(first_, selected_);
  if (selected_ >= first_ + height) first_ = selected_ - height + 1;
  // No empty lines below the last row while there are rows above.
  if (first_ + height > rows_.size()) first_ = rows_.size() - std::min(rows_.size(), height);
  return first_;
}

void lock_list::sort() {
  std::ranges::sort(rows_, [this](const lock_row& left, const lock_row& right) {
    return comes_before(left, right, key_);
  });
  select_same();
}

void lock_list::select_same() {
  if (kept_.first.empty()) {
    selected_ = 0;
    return;
  }
  const auto found = std::ranges::find_if(rows_, [this](const lock_row& each) {
    return each.lock.path == kept_.first && each.lock.type == kept_.second;
  });
  if (found != rows_.end()) {
    selected_ = static_cast<std::size_t>(found - rows_.begin());
    return;
  }
  // The selected lock is gone: selects the lock in its place.
  selected_ = rows_.empty() ? 0 : std::min(selected_, rows_.size() - 1);
  if (!rows_.empty()) keep_selection();
}

void lock_list::keep_selection() {
  kept_ = {rows_[selected_].lock.path, rows_[selected_].lock.type};
}

} // namespace zklock::cli
