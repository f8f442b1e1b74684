#pragma once

#include "cli/top/lock_row.hpp"

#include <cstddef>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

namespace zklock::cli {

/// The table of `zklock top`, for a terminal and as plain text.
class row_table {
 public:
  explicit row_table(std::span<const lock_row> rows);

  /// Prints the whole table. Prints nothing without rows.
  void print(std::ostream& out, bool colours) const;

  /// Returns the headings and the rows as lines of so many columns. Long paths are cut in the
  /// middle, long identities at the end. Where that does not suffice, columns are left out.
  std::vector<std::string> lines(std::size_t width) const;

 private:
  std::vector<std::size_t> fit(std::size_t width) const;

  // The headings are the first row. The cells of a row are in the order of the columns.
  std::vector<std::vector<std::string>> cells_;
  std::vector<bool> to_notice_;
};

} // namespace zklock::cli
