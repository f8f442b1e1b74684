#include "chaos/lanes.hpp"

#include "chaos/crew.hpp"
#include "chaos/locks.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace chaos {
namespace {

constexpr std::size_t lanes_of_readers = 4;

/// How long each process holds the lock, for each column of a lane.
using shares = std::vector<std::array<double, crew::clients>>;

class lock_drawing {
 public:
  lock_drawing(std::size_t lanes, const span& window, std::size_t columns)
      : window_(window),
        scale_(static_cast<double>(columns) / static_cast<double>(window.end - window.begin)),
        shares_(lanes, shares(columns)),
        taken_until_(lanes, 0) {}

  void add(const claim& one) {
    std::size_t wanted =
        one.kind == mode::exclusive ? shares_.size() : static_cast<std::size_t>(one.count);
    for (std::size_t i = 0; i < shares_.size() && wanted > 0; ++i) {
      // More readers than lanes: the last lane shows all that remain.
      const bool last = i + 1 == shares_.size() && one.kind != mode::permits;
      if (taken_until_[i] > one.when.begin && !last) continue;
      taken_until_[i] = std::max(taken_until_[i], one.when.end);
      paint(shares_[i], one);
      --wanted;
    }
  }

  std::vector<std::vector<stretch>> lanes() const {
    std::vector<std::vector<stretch>> all;
    for (const auto& each : shares_)
      all.push_back(stretches(each));
    return all;
  }

 private:
  void paint(shares& lane, const claim& one) const {
    const auto column = [&](nanoseconds time) {
      return std::clamp(static_cast<double>(time - window_.begin) * scale_, 0.0,
                        static_cast<double>(lane.size()));
    };
    const double begin = column(one.when.begin);
    const double end = column(one.when.end);
    for (auto i = static_cast<std::size_t>(begin); i < lane.size(); ++i) {
      const auto left = static_cast<double>(i);
      if (left >= end) break;
      lane[i][client_of(one.process)] += std::min(end, left + 1) - std::max(begin, left);
    }
  }

  static std::vector<stretch> stretches(const shares& lane) {
    std::vector<stretch> all;
    for (std::size_t i = 0; i < lane.size(); ++i) {
      const auto longest = std::max_element(lane[i].begin(), lane[i].end());
      if (*longest < 0.05) continue;
      const auto process = static_cast<std::size_t>(longest - lane[i].begin());
      if (!all.empty() && all.back().end == i && all.back().process == process)
        ++all.back().end;
      else
        all.push_back({i, i + 1, process});
    }
    return all;
  }

  const span window_;
  const double scale_;
  std::vector<shares> shares_;
  std::vector<nanoseconds> taken_until_;
};

} // namespace

std::size_t client_of(const std::string& process) {
  return std::stoul(process.substr(1));
}

std::vector<lanes_of_lock> arrange(const std::vector<claim>& claims, const span& window,
                                   std::size_t columns) {
  std::map<std::string, std::vector<const claim*>> by_lock;
  for (const auto& one : claims)
    if (one.when.begin < window.end && one.when.end > window.begin)
      by_lock[one.lock].push_back(&one);
  std::vector<lanes_of_lock> all;
  for (const auto& [lock, list] : by_lock) {
    const bool shared = std::any_of(list.begin(), list.end(),
                                    [](const auto* each) { return each->kind == mode::shared; });
    const bool permits = list.front()->kind == mode::permits;
    lock_drawing drawing(permits ? permit_limit : shared ? lanes_of_readers : 1, window, columns);
    for (const auto* each : list)
      drawing.add(*each);
    all.push_back({lock, drawing.lanes()});
  }
  return all;
}

} // namespace chaos
