#include "chaos/drawing.hpp"

#include "chaos/picture.hpp"

#include <algorithm>
#include <ostream>
#include <set>

namespace chaos {

// Returns a part of the run with several kinds of faults of servers, and many holds.
span picture::choose_window(const outcome& all) {
  if (all.when.end - all.when.begin <= longest_window) return all.when;
  const auto seconds = static_cast<std::size_t>((all.when.end - all.when.begin) / second) + 1;
  std::vector<std::size_t> grants(seconds);
  for (const auto& history : all.seen.histories)
    for (const auto& [number, one] : history.operations)
      if (one.granted > all.when.begin && one.granted < all.when.end)
        ++grants[static_cast<std::size_t>((one.granted - all.when.begin) / second)];
  span best{all.when.begin, all.when.begin + longest_window};
  std::size_t most = 0;
  constexpr auto length = static_cast<std::size_t>(longest_window / second);
  for (std::size_t first = 0; first + length < seconds; ++first) {
    const auto begin = all.when.begin + static_cast<nanoseconds>(first) * second;
    std::set<fault_kind> kinds;
    for (const auto& each : all.faults)
      if (is_of_servers(each.kind) && each.when.begin > begin + second &&
          each.when.end < begin + longest_window - 2 * second)
        kinds.insert(each.kind);
    // A second without any grant shows nothing, however many grants another second has.
    std::size_t score = 1000 * std::min<std::size_t>(kinds.size(), 4);
    for (std::size_t i = first; i < first + length; ++i)
      score += std::min<std::size_t>(grants[i], 60);
    if (score > most) best = {begin, begin + longest_window};
    most = std::max(most, score);
  }
  return best;
}

void picture::draw_head(std::size_t holds) {
  const auto seconds = (all_.when.end - all_.when.begin) / second;
  text(left, 26,
       std::to_string(seconds) + " s of chaos: " + std::to_string(holds) + " holds, " +
           std::to_string(all_.faults.size()) + " faults, " + std::to_string(all_.violation_count) +
           " violations",
       "class='head'");
  text(left, 46,
       "ZooKeeper " + all_.servers + ", three servers; six processes with 50 waiters each; seed " +
           std::to_string(all_.chosen.seed) + ", network: " + all_.network);
  y_ = 64;
}

void picture::draw_overview() {
  constexpr double height = 70;
  const auto seconds = static_cast<std::size_t>((all_.when.end - all_.when.begin) / second) + 1;
  // Not more bars than there is room for.
  const std::size_t per_bar = 1 + seconds / (width / 2);
  std::vector<std::size_t> grants(seconds / per_bar + 1);
  for (const auto& history : all_.seen.histories)
    for (const auto& [number, one] : history.operations)
      if (one.granted > all_.when.begin && one.granted < all_.when.end)
        ++grants[static_cast<std::size_t>((one.granted - all_.when.begin) / second) / per_bar];
  const auto most = std::max<std::size_t>(*std::max_element(grants.begin(), grants.end()), 1);
  for (const auto& each : all_.faults) {
    if (!is_of_servers(each.kind)) continue;
    const double x = column(each.when.begin, all_.when);
    rectangle({x, y_, std::max(column(each.when.end, all_.when) - x, 0.5), height},
              std::string("fill='") + group_of(each.kind).colour + "' fill-opacity='0.55'");
  }
  std::ostringstream path;
  for (std::size_t i = 0; i < grants.size(); ++i) {
    const auto begin = all_.when.begin + static_cast<nanoseconds>(i * per_bar) * second;
    const double x = column(begin, all_.when);
    const double end = column(begin + static_cast<nanoseconds>(per_bar) * second, all_.when);
    const double part = static_cast<double>(grants[i]) / static_cast<double>(most) * height;
    path << 'M' << x << ' ' << y_ + height << 'V' << y_ + height - part << 'H' << end << 'V'
         << y_ + height << 'z';
  }
  body_ << "<path d='" << path.str() << "' fill='#44546a'/>\n";
  label("grants/s", y_ + 12);
  label("most: " + std::to_string(most / per_bar), y_ + 28);
  if (window_.end - window_.begin < all_.when.end - all_.when.begin)
    rectangle({column(window_.begin, all_.when), y_ - 3,
               column(window_.end, all_.when) - column(window_.begin, all_.when), height + 6},
              "fill='none' stroke='#c0392b' stroke-width='1.5'", "the part below");
  y_ += height;
  draw_axis(all_.when, y_);
  y_ += 38;
}

void picture::draw_axis(const span& of, double y) {
  const auto seconds = (of.end - of.begin) / second;
  nanoseconds step = 1;
  for (const nanoseconds each : {2, 5, 10, 30, 60, 120, 300, 600})
    if (seconds / step > 16) step = each;
  const auto first = (of.begin - all_.when.begin + second - 1) / second;
  for (auto at = (first + step - 1) / step * step; at <= first + seconds; at += step) {
    const double x = column(all_.when.begin + at * second, of);
    body_ << "<path d='M" << x << ' ' << y << "v4' stroke='#555'/>\n";
    const bool minutes = step >= 60;
    text(x, y + 16, std::to_string(minutes ? at / 60 : at) + (minutes ? " min" : " s"),
         "text-anchor='middle' class='small'");
  }
}

void picture::draw_legend() {
  double x = left;
  const auto entry = [&](const std::string& colour, const std::string& name) {
    rectangle({x, y_ - 10, 12, 12}, "fill='" + colour + "'");
    text(x + 16, y_, name);
    x += 28 + 6.6 * static_cast<double>(name.size());
  };
  text(8, y_, "holds of");
  for (std::size_t i = 0; i < crew::clients; ++i) {
    const bool kazoo = i >= crew::clients - crew::kazoo_clients;
    entry(process_colours[i],
          "client " + std::to_string(i + 1) + (kazoo ? " (Python, kazoo)" : " (C++)"));
  }
  y_ += 20;
  x = left;
  text(8, y_, "faults");
  for (const auto& each : groups)
    entry(each.colour, each.name);
  entry("#222", "session ended or znode deleted by hand");
  y_ += 18;
}

void picture::draw() {
  verdict ignored;
  const auto claims = claims_of(all_.seen, ignored, true);
  draw_head(claims.size());
  draw_overview();
  draw_leaders();
  draw_fault_rows();
  draw_locks(claims);
  draw_axis(window_, y_);
  y_ += 44;
  draw_legend();
  out_ << "<svg xmlns='http://www.w3.org/2000/svg' width='1200' height='" << y_
       << "' viewBox='0 0 1200 " << y_
       << "'>\n<style>text{font:12px sans-serif;fill:#222}.head{font-size:18px;font-weight:bold}"
          ".small{font-size:10.5px}</style>\n<rect width='1200' height='"
       << y_ << "' fill='#fff'/>\n"
       << body_.str() << "</svg>\n";
}

void draw(std::ostream& out, const outcome& all) {
  picture(out, all).draw();
}

} // namespace chaos
