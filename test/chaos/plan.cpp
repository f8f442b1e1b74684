#include "chaos/plan.hpp"

#include <algorithm>
#include <random>

namespace chaos {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr std::array<std::string_view, fault_kinds> names{"kill a server",
                                                          "restart a server",
                                                          "pause a server",
                                                          "cut a server off its peers",
                                                          "cut a server off clients",
                                                          "cut a link between servers",
                                                          "slow server",
                                                          "fill a disk",
                                                          "kill two servers",
                                                          "kill servers in turns",
                                                          "restore older data",
                                                          "demand authentication",
                                                          "pause a client",
                                                          "kill a client",
                                                          "cut a client off",
                                                          "slow client",
                                                          "change the servers",
                                                          "block a loop",
                                                          "end a session",
                                                          "delete a znode"};

/// Random choices that do not depend on the standard library.
class dice {
 public:
  explicit dice(std::uint64_t seed) : numbers_(seed) {}

  std::uint64_t below(std::uint64_t bound) { return numbers_() % bound; }

  milliseconds between(milliseconds from, milliseconds to) {
    return from + milliseconds(below(static_cast<std::uint64_t>((to - from).count()) + 1));
  }

  void shuffle(std::vector<fault_kind>& kinds) {
    for (std::size_t i = kinds.size(); i > 1; --i)
      std::swap(kinds[i - 1], kinds[below(i)]);
  }

 private:
  std::mt19937_64 numbers_;
};

struct rhythm {
  std::vector<fault_kind> kinds;
  milliseconds least_gap;
  milliseconds longest_gap;
  milliseconds shortest;
  milliseconds longest;
};

fault random_fault(dice& numbers, fault_kind kind, const rhythm& rules) {
  fault one{
      .kind = kind,
      .begin = {},
      // Half of the faults are short: they begin and end within a few pings.
      .length = numbers.below(2) == 0 ? numbers.between(rules.shortest, rules.shortest + 800ms)
                                      : numbers.between(rules.shortest, rules.longest),
      .leads = numbers.below(2) == 0,
      .which = static_cast<std::uint32_t>(numbers.below(1u << 30)),
      .how = numbers.below(2) == 0 ? zklock::testing::cut::silent : zklock::testing::cut::closed,
      .delay = numbers.between(20ms, 900ms)};
  // A shorter fault would be over before clients notice it.
  if (kind == fault_kind::block_loop || kind == fault_kind::change_servers ||
      kind == fault_kind::restore_data || kind == fault_kind::demand_authentication)
    one.length = numbers.between(2s, rules.longest);
  return one;
}

track make_track(dice& numbers, rhythm rules, milliseconds length,
                 const std::set<fault_kind>& only) {
  if (!only.empty()) std::erase_if(rules.kinds, [&](auto kind) { return !only.contains(kind); });
  track all;
  if (rules.kinds.empty()) return all;
  std::vector<fault_kind> deck;
  for (auto now = numbers.between(1s, 4s); now < length;) {
    if (deck.empty()) {
      deck = rules.kinds;
      numbers.shuffle(deck);
    }
    auto one = random_fault(numbers, deck.back(), rules);
    deck.pop_back();
    one.begin = now;
    // The end of the run belongs to it.
    one.length = std::min(one.length, length - now);
    now += one.length + numbers.between(rules.least_gap, rules.longest_gap);
    all.push_back(one);
  }
  return all;
}

} // namespace

const char* name_of(fault_kind kind) {
  return names[static_cast<std::size_t>(kind)].data();
}

std::optional<fault_kind> kind_named(std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<fault_kind>(found - names.begin());
}

std::array<track, 4> make_plan(std::uint64_t seed, milliseconds length, std::size_t clients,
                               const std::set<fault_kind>& only) {
  dice numbers(seed);
  using enum fault_kind;
  const rhythm servers{{kill_server, restart_server, pause_server, cut_from_peers, cut_from_clients,
                        cut_link, slow_server, fill_disk, lose_quorum, kill_in_turns, restore_data,
                        demand_authentication},
                       2s,
                       6s,
                       100ms,
                       7s};
  const rhythm processes{
      {pause_client, kill_client, cut_client, slow_client, change_servers, block_loop},
      500ms,
      5s,
      50ms,
      9s};
  const rhythm points{{expire_session, delete_node}, 500ms, 5s, 0ms, 0ms};
  std::array<track, 4> all{
      make_track(numbers, servers, length, only), make_track(numbers, processes, length, only),
      make_track(numbers, processes, length, only), make_track(numbers, points, length, only)};
  for (std::size_t odd : {0u, 1u})
    for (auto& one : all[1 + odd])
      one.which = static_cast<std::uint32_t>(one.which % (clients / 2) * 2 + odd);
  return all;
}

} // namespace chaos
