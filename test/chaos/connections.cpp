#include <zklock/error.hpp>

#include "chaos/complaints.hpp"

#include <algorithm>
#include <string_view>

namespace chaos {
namespace {

// After a fault the servers elect a leader and catch up, and clients find another server.
constexpr nanoseconds recovery = 10 * second;

bool is_in(const std::vector<span>& spans, nanoseconds time) {
  return std::any_of(spans.begin(), spans.end(), [&](const auto& each) {
    return each.begin <= time && (each.end == never || time <= each.end + recovery);
  });
}

/// Why a process may lose its connection at a time.
class excuses {
 public:
  excuses(const evidence& all, const history& of) {
    if (const auto found = all.disturbed.find(of.process); found != all.disturbed.end())
      disturbed_ = found->second;
    for (const auto each : all.crashes)
      disturbed_.push_back({each, each});
    for (const auto& each : of.messages)
      if (each.text.starts_with(connected_text)) {
        const auto ended = all.by_hand.expired.find(field_of(each.text, "session"));
        if (ended != all.by_hand.expired.end())
          disturbed_.push_back({ended->second, ended->second});
      }
  }

  bool has(nanoseconds time) const { return is_in(disturbed_, time); }

 private:
  std::vector<span> disturbed_;
};

bool is_demanded(const evidence& all, nanoseconds time) {
  return std::any_of(all.demands.begin(), all.demands.end(),
                     [&](const auto& each) { return each.begin <= time; });
}

// Returns whether a process from before the end of a demand asks for locks long after it, and gets
// none.
bool is_stuck_after(const history& one, nanoseconds end) {
  constexpr nanoseconds long_after = 20 * second;
  bool is_older = false;
  bool asks = false;
  for (const auto& [number, each] : one.operations) {
    if (each.granted != never && each.granted > end) return false;
    is_older |= each.asked < end;
    asks |= each.asked > end + long_after;
  }
  return is_older && asks;
}

} // namespace

void check_connections(const evidence& all, complaints& complain, verdict& found) {
  for (const auto& one : all.histories) {
    const excuses excused(all, one);
    for (const auto& each : one.messages) {
      const bool is_loss = each.text.starts_with("lost the connection to ");
      found.lost_connections += is_loss;
      found.phantoms += each.text.find("it has a node that the quorum has not") != each.text.npos;
      const bool is_suspected = each.text.find(" connections in a row ") != each.text.npos;
      if ((is_loss || is_suspected) && !excused.has(each.time))
        complain("a connection is lost without a fault", one.process + ": " + each.text);
    }
    found.unknown_commits += one.unknown_commits.size();
    for (const auto& each : one.unknown_commits)
      if (!excused.has(each.time))
        complain("a commit of unknown outcome without a fault", one.process + ": " + each.path);
  }
}

void check_authentication(const evidence& all, complaints& complain) {
  const auto refused = std::to_string(static_cast<int>(zklock::errc::authentication_failed));
  for (const auto& one : all.histories) {
    for (const auto& [number, each] : one.operations)
      if (each.error == refused && !is_demanded(all, each.failed))
        complain("authentication fails without a demand",
                 one.process + ", operation " + std::to_string(number));
    for (const auto& each : all.demands)
      if (each.end != never && is_stuck_after(one, each.end))
        complain("a process does not go on after a demand", one.process);
  }
}

} // namespace chaos
