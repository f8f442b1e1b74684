#include "cli/top/page.hpp"

#include "cli/duration.hpp"
#include "cli/line_table.hpp"
#include "cli/text.hpp"
#include "cli/top/fitted_text.hpp"
#include "cli/top/row_table.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

namespace zklock::cli {

namespace {

constexpr std::size_t least_lines = 6;
constexpr std::size_t least_columns = 40;

// The title, the status, the headings and the keys.
constexpr std::size_t other_lines = 4;

std::string counted(std::size_t count, const std::string& singular) {
  return std::to_string(count) + ' ' + singular + (count == 1 ? "" : "s");
}

std::string title_of(const top_state& state) {
  std::size_t held = 0;
  std::size_t waiters = 0;
  for (const auto& each : state.locks.rows()) {
    held += each.holders == 0 ? 0U : 1U;
    waiters += each.waiters;
  }
  std::string text = "zklock top " + printable(state.root) + "  ";
  if (state.looked)
    text += counted(state.locks.rows().size(), "lock") + ", " + std::to_string(held) + " held, " +
            counted(waiters, "waiter") + "  ";
  text += "sort: " + std::string(name_of(state.locks.sorted_by())) + "  every " +
          to_text(state.interval);
  return text + (state.paused ? "  PAUSED" : "");
}

void add_table(std::vector<styled_line>& page, top_state& state, std::size_t height,
               std::size_t columns) {
  const auto& rows = state.locks.rows();
  const auto first = state.locks.first_visible(height);
  const auto count = std::min(height, rows.size() - first);
  const auto visible = std::span(rows).subspan(first, count);
  const auto lines = row_table(visible).lines(columns);
  page.push_back({lines[0], line_style::heading});
  for (std::size_t i = 0; i < count; ++i) {
    auto style = visible[i].marks.empty() ? line_style::plain : line_style::notice;
    if (first + i == state.locks.selected_index()) style = line_style::selected;
    page.push_back({lines[i + 1], style});
  }
}

// The headings stay while the participants are scrolled.
void add_line(std::vector<styled_line>& page, top_state& state, std::size_t height,
              std::size_t columns) {
  const auto* selected = state.locks.selected();
  if (selected == nullptr) return;
  std::stringstream printed;
  print_line(printed, selected->lock, false);
  std::vector<std::string> lines;
  for (std::string line; std::getline(printed, line);)
    lines.push_back(cut_end(line, columns));
  page.push_back({padded(lines[0], columns), line_style::selected});
  if (lines.size() < 2) return;
  page.push_back({lines[1], line_style::title});
  const auto count = lines.size() - 2;
  const auto visible = std::min(height - 1, count);
  state.line_scroll = std::min(state.line_scroll, count - visible);
  for (std::size_t i = 0; i < visible; ++i)
    page.push_back({lines[2 + state.line_scroll + i], line_style::plain});
}

void add_question(std::vector<styled_line>& page, const top_state& state, std::size_t lines,
                  std::size_t columns) {
  std::vector<std::string> all;
  for (const auto& each : state.question)
    for (auto& line : wrapped(each, columns))
      all.push_back(std::move(line));
  // The end of it names the keys.
  if (all.size() > lines - 1) all.erase(all.begin() + 1, all.end() - (std::ptrdiff_t(lines) - 2));
  page.resize(lines - all.size());
  for (auto& line : all)
    page.push_back({padded(line, columns), line_style::question});
}

} // namespace

std::size_t page_height(std::size_t lines) noexcept {
  return lines > other_lines ? lines - other_lines : 1;
}

std::vector<styled_line> compose(top_state& state, std::size_t lines, std::size_t columns) {
  if (lines < least_lines || columns < least_columns)
    return {{cut_end("too small: " + std::to_string(least_columns) + " x " +
                         std::to_string(least_lines) + " needed",
                     columns)}};
  std::vector<styled_line> page{{cut_end(title_of(state), columns), line_style::title}};
  const bool notice = !state.status.empty();
  page.push_back({cut_end(notice ? state.status : state.message, columns),
                  notice ? line_style::status : line_style::plain});
  const auto height = page_height(lines);
  if (state.shows_line)
    add_line(page, state, height, columns);
  else if (state.locks.rows().empty())
    page.push_back({state.looked ? "no locks" : ""});
  else
    add_table(page, state, height, columns);
  page.resize(lines - 1);
  page.push_back({cut_end(state.shows_line
                              ? "Enter back  Up Down scroll  a ask  b break  Space pause  q quit"
                              : "Up Down select  Enter line  s sort  a ask  b break  Space pause  "
                                "+ - interval  q quit",
                          columns),
                  line_style::help});
  if (!state.question.empty()) add_question(page, state, lines, columns);
  return page;
}

} // namespace zklock::cli
