#include "cli/text_table.hpp"

#include "cli/text.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ostream>
#include <string_view>
#include <utility>

namespace zklock::cli {

bool colours_wanted() {
  const auto is_set = [](const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  const char* const terminal = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) == 1 && !is_set("NO_COLOR") && terminal != nullptr &&
         terminal != std::string_view("dumb");
}

text_table::text_table(std::vector<column> columns) : columns_(std::move(columns)) {
  for (const auto& each : columns_)
    widths_.push_back(width_of(each.heading));
}

void text_table::add(std::vector<std::string> cells, bool to_notice) {
  cells.resize(columns_.size());
  for (std::size_t i = 0; i < cells.size(); ++i)
    widths_[i] = std::max(widths_[i], width_of(cells[i]));
  rows_.push_back({std::move(cells), to_notice});
}

void text_table::print(std::ostream& out, bool colours) const {
  if (rows_.empty()) return;
  constexpr std::string_view bold = "\x1b[1m";
  constexpr std::string_view yellow = "\x1b[33m";
  constexpr std::string_view plain = "\x1b[0m";
  const auto print_line = [&](const std::vector<std::string>& cells, std::string_view colour) {
    const bool coloured = colours && !colour.empty();
    if (coloured) out << colour;
    print_cells(out, cells);
    if (coloured) out << plain;
    out << '\n';
  };
  std::vector<std::string> headings;
  for (const auto& each : columns_)
    headings.push_back(each.heading);
  print_line(headings, bold);
  for (const auto& each : rows_)
    print_line(each.cells, each.to_notice ? yellow : std::string_view());
}

void text_table::print_cells(std::ostream& out, const std::vector<std::string>& cells) const {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i != 0) line += "  ";
    const std::string padding(widths_[i] - width_of(cells[i]), ' ');
    line += columns_[i].numbers ? padding + cells[i] : cells[i] + padding;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out << line;
}

} // namespace zklock::cli
