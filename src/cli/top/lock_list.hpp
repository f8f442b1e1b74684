#pragma once

#include "cli/top/lock_row.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zklock::cli {

/// Returns the name of an order: `waiters`, `longest`, `handovers` or `path`.
std::string_view name_of(sort_key key) noexcept;

/// Reads the name of an order. Throws `usage_error`.
sort_key parse_sort_key(const std::string& text);

/// The rows of `zklock top` in their order, with a selected row. The selection stays at its lock
/// when new rows come. Until the first move, the first row is selected.
class lock_list {
 public:
  explicit lock_list(sort_key key) : key_(key) {}

  /// Replaces the rows.
  void show(std::vector<lock_row> rows);

  /// Takes the next order.
  void sort_by_next();
  sort_key sorted_by() const noexcept { return key_; }

  const std::vector<lock_row>& rows() const noexcept { return rows_; }

  /// Returns the selected row; null without rows.
  const lock_row* selected() const noexcept;
  std::size_t selected_index() const noexcept { return selected_; }

  /// Moves the selection by so many rows, not beyond the first and the last row.
  void move(std::ptrdiff_t by);

  /// Selects the first row, whichever lock it has from now on.
  void move_to_first();

  void move_to_last();

  /// Returns the first row of so many that are visible: the visible part moves only as far as the
  /// selection makes it.
  std::size_t first_visible(std::size_t height);

 private:
  void sort();
  void select_same();
  void keep_selection();

  std::vector<lock_row> rows_;
  sort_key key_;
  std::size_t selected_ = 0;
  std::size_t first_ = 0;
  // The lock to stay at: its path and type. No path before the selection is moved.
  std::pair<std::string, lock_type> kept_{};
};

} // namespace zklock::cli
