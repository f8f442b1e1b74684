#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace zklock::cli {

/// Whether standard output is a terminal that takes colours, and `NO_COLOR` does not forbid them.
bool colours_wanted();

/// A table for people: a line of headings, then the rows, with columns as wide as their texts. A
/// table without rows prints nothing.
class text_table {
 public:
  struct column {
    std::string heading;
    bool numbers = false;
  };

  explicit text_table(std::vector<column> columns);

  /// Adds a row of printable texts. With colours, a row that is to be noticed is coloured.
  void add(std::vector<std::string> cells, bool to_notice = false);

  void print(std::ostream& out, bool colours) const;

 private:
  struct row {
    std::vector<std::string> cells;
    bool to_notice;
  };

  void print_cells(std::ostream& out, const std::vector<std::string>& cells) const;

  std::vector<column> columns_;
  std::vector<std::size_t> widths_;
  std::vector<row> rows_;
};

} // namespace zklock::cli
