#include "chaos/timelines.hpp"

#include "chaos/complaints.hpp"

#include <algorithm>
#include <string_view>

namespace chaos {
namespace {

constexpr std::string_view told_text = "the servers came back with older data";
constexpr std::string_view failed_text = "no server is usable";

// Clients that are paused notice a restore late.
constexpr nanoseconds aftermath = 60 * second;

// A client that has failed, as its credentials were refused, was told so: the client that takes its
// place knows nothing of the data of before.
bool is_told(const history& one, nanoseconds after, nanoseconds until) {
  return std::any_of(one.messages.begin(), one.messages.end(), [&](const auto& each) {
    return each.time > after && each.time <= until &&
           (each.text.starts_with(told_text) || each.text.starts_with(failed_text));
  });
}

// A lock that a process acquires with a token that is not above its earlier tokens.
void check_falls_of(const history& one, complaints& complain) {
  std::map<std::string, std::vector<const operation*>> grants;
  for (const auto& [number, each] : one.operations)
    if (each.granted != never && each.kind == mode::exclusive) grants[each.lock].push_back(&each);
  for (auto& [lock, list] : grants) {
    std::sort(list.begin(), list.end(),
              [](const auto* a, const auto* b) { return a->granted < b->granted; });
    const operation* before = nullptr;
    for (const auto* each : list) {
      if (before && each->token <= before->token && !is_told(one, before->granted, each->granted))
        complain("a token falls untold",
                 one.process + ": " + lock + ": " + before->token.to_string() + ", then " +
                     each->token.to_string() + " at " + std::to_string(each->granted));
      before = each;
    }
  }
}

} // namespace

timelines::timelines(const std::vector<restore>& restores, const history& of)
    : restores_(restores) {
  nanoseconds begin = never;
  for (const auto& [number, each] : of.operations)
    begin = std::min(begin, each.asked);
  for (const auto& one : restores) {
    nanoseconds arrival = begin >= one.when.end ? begin : never;
    for (const auto& each : of.messages)
      if (each.time > one.when.end && each.text.starts_with(connected_text))
        arrival = std::min(arrival, each.time);
    arrivals_.push_back(arrival);
  }
}

std::size_t timelines::at(nanoseconds time) const {
  return static_cast<std::size_t>(std::upper_bound(arrivals_.begin(), arrivals_.end(), time) -
                                  arrivals_.begin());
}

nanoseconds timelines::end_after(nanoseconds time) const {
  const auto number = at(time);
  return number < restores_.size() ? restores_[number].when.begin : never;
}

nanoseconds timelines::next_arrival(nanoseconds time) const {
  const auto number = at(time);
  return number < arrivals_.size() ? arrivals_[number] : never;
}

// The servers may take long until they serve again: the time counts from the first connection.
bool timelines::may_tell(nanoseconds time) const {
  for (std::size_t i = 0; i < restores_.size(); ++i) {
    const auto heard = arrivals_[i] == never ? restores_[i].when.end : arrivals_[i];
    if (restores_[i].when.begin < time && time < heard + aftermath) return true;
  }
  return false;
}

bool timelines::differ(const std::vector<nanoseconds>& differences, nanoseconds time) const {
  nanoseconds begin = 0;
  for (const auto& one : restores_)
    if (one.when.end < time) begin = one.when.end;
  return std::any_of(differences.begin(), differences.end(),
                     [&](nanoseconds each) { return begin < each && each < time; });
}

void check_told(const evidence& all, complaints& complain, verdict& found) {
  for (const auto& one : all.histories) {
    // kazoo tells nothing.
    if (!one.messages.empty()) check_falls_of(one, complain);
    const timelines lives(all.restores, one);
    for (const auto& each : one.messages) {
      if (!each.text.starts_with(told_text)) continue;
      ++found.told_of_older_data;
      if (lives.may_tell(each.time)) continue;
      const auto seen = field_of(each.text, "seen_zxid");
      if (seen == 0 && lives.differ(all.differences, each.time))
        ++found.told_of_differences;
      else if (seen == 0 || !is_lost_by_servers(all, seen))
        complain("older data without a restore", one.process + ": " + each.text);
    }
  }
}

} // namespace chaos
