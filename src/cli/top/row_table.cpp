#include "cli/top/row_table.hpp"

#include "cli/lock_text.hpp"
#include "cli/text.hpp"
#include "cli/text_table.hpp"
#include "cli/top/fitted_text.hpp"

#include <algorithm>
#include <array>

namespace zklock::cli {

namespace {

enum table_column : std::size_t {
  path,
  type,
  holders,
  waiters,
  handovers,
  longest,
  held,
  holder,
  marks
};

struct column_definition {
  const char* heading;
  bool numbers;
};

constexpr std::array<column_definition, 9> table_columns{{{"PATH", false},
                                                          {"TYPE", false},
                                                          {"HOLDERS", true},
                                                          {"WAITERS", true},
                                                          {"HANDOVERS/S", true},
                                                          {"LONGEST", true},
                                                          {"HELD", true},
                                                          {"HOLDER", false},
                                                          {"MARKS", false}}};

// The order in which columns are dropped on a narrow terminal.
constexpr std::array drop_order{type, holders, handovers, held, holder, longest};

constexpr std::size_t least_path = 16;
constexpr std::size_t least_holder = 10;
constexpr std::size_t gap = 2;

std::string rate_text(double rate) {
  return decimal_text(rate, rate < 100 ? 1 : 0);
}

std::string holder_text(const lock_row& row) {
  if (!row.holder) return row.holders == 0 ? "-" : "?";
  const auto& one = row.lock.participants[*row.holder];
  std::string text = "?";
  if (one.token.transaction() != 0)
    text =
        one.identity.empty() ? "session " + session_text(one.session_id) : printable(one.identity);
  if (row.holders > 1) text += " +" + std::to_string(row.holders - 1);
  return text;
}

std::vector<std::string> cells_of(const lock_row& row) {
  return {printable(row.lock.path),
          std::string(name_of(row.lock.type)),
          std::to_string(row.holders),
          std::to_string(row.waiters),
          row.handovers ? rate_text(*row.handovers) : "-",
          row.longest_wait ? age_text(*row.longest_wait) : "-",
          row.holder ? (row.held.older ? ">" : "") + age_text(row.held.age) : "-",
          holder_text(row),
          join(row.marks)};
}

} // namespace

row_table::row_table(std::span<const lock_row> rows) {
  auto& headings = cells_.emplace_back();
  for (const auto& each : table_columns)
    headings.emplace_back(each.heading);
  for (const auto& each : rows) {
    cells_.push_back(cells_of(each));
    to_notice_.push_back(!each.marks.empty());
  }
}

void row_table::print(std::ostream& out, bool colours) const {
  std::vector<text_table::column> made;
  for (const auto& each : table_columns)
    made.push_back({.heading = each.heading, .numbers = each.numbers});
  text_table table(made);
  for (std::size_t i = 0; i < to_notice_.size(); ++i)
    table.add(cells_[i + 1], to_notice_[i]);
  table.print(out, colours);
}

std::vector<std::string> row_table::lines(std::size_t width) const {
  const auto widths = fit(width);
  std::vector<std::string> made;
  for (const auto& row : cells_) {
    std::string line;
    for (std::size_t i = 0; i < table_columns.size(); ++i) {
      if (widths[i] == 0) continue;
      if (!line.empty()) line.append(gap, ' ');
      line += padded(i == path ? cut_middle(row[i], widths[i]) : cut_end(row[i], widths[i]),
                     widths[i], table_columns[i].numbers);
    }
    made.push_back(padded(cut_end(line, width), width));
  }
  return made;
}

// Returns the width of each column; 0 for a dropped column.
std::vector<std::size_t> row_table::fit(std::size_t width) const {
  std::vector<std::size_t> widths(table_columns.size(), 0);
  for (const auto& row : cells_)
    for (std::size_t i = 0; i < table_columns.size(); ++i)
      widths[i] = std::max(widths[i], columns_of(row[i]));
  const auto needed = [&](std::size_t path_width, std::size_t holder_width) {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < table_columns.size(); ++i) {
      if (widths[i] == 0) continue;
      sum += gap + (i == path     ? std::min(widths[i], path_width)
                    : i == holder ? std::min(widths[i], holder_width)
                                  : widths[i]);
    }
    return sum - gap;
  };
  for (const auto each : drop_order) {
    if (needed(least_path, least_holder) <= width) break;
    widths[each] = 0;
  }
  const auto least = needed(least_path, least_holder);
  std::size_t spare = width - std::min(width, least);
  // The path gets most of the rest: it names the lock.
  const auto give = [&](table_column one, std::size_t at_least, std::size_t most) {
    const auto begin = std::min(widths[one], at_least);
    const auto more = std::min({widths[one] - begin, spare, most});
    widths[one] = begin + more;
    spare -= more;
  };
  const auto wanted_holder = widths[holder];
  give(holder, least_holder, spare / 3);
  give(path, least_path, spare);
  widths[holder] = std::min(wanted_holder, widths[holder] + spare);
  return widths;
}

} // namespace zklock::cli
