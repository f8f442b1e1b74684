#pragma once

#include "arena.hpp"
#include "bounds.hpp"
#include "event.hpp"
#include "fingerprint.hpp"
#include "scene.hpp"
#include "visited.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace exhaustive {

/// A rule that was broken, and the shortest way to it.
struct violation {
  std::string what;
  std::vector<event> path;
};

/// Visits all states breadth first, and applies the rules to each transition and to each state.
///
/// A state is stored as its parent state and the event that led from the parent to it. Few events
/// are replayed to return to a state: states are visited in the order in which they were found, and
/// the states on the way from the first to the current state are stored as images.
///
/// Of states with equal fingerprints only the first is visited. Samples check that such states have
/// equal futures.
class search {
 public:
  /// `seconds` of the processor; 0: no limit. Only a single search can be used at a time.
  search(const bounds& bounds, double seconds);

  search(const search&) = delete;
  search& operator=(const search&) = delete;

  /// Returns nothing where no rule is broken.
  std::optional<violation> run();

  /// The events up to the current state.
  std::vector<event> path() const;

  /// Whether all states were visited.
  bool is_complete() const noexcept { return complete_; }
  std::size_t states() const noexcept { return states_.size(); }
  std::size_t transitions() const noexcept { return transitions_; }
  std::size_t depth() const noexcept { return depth_; }
  /// In how many states neither servers nor clients have anything to do.
  std::size_t quiet() const noexcept { return quiet_; }
  /// How many pairs of states with equal fingerprints were found to have equal futures.
  std::size_t compared() const noexcept { return compared_; }
  const event_counts& counts() const noexcept { return counts_; }

 private:
  using index = std::uint32_t;

  struct state {
    index parent;
    event by;
  };

  void begin();
  void go_to(index which);
  void expand();
  void examine();
  bool explore(const event& by);
  bool happen(const event& by);
  void compare(std::uint64_t print);
  std::vector<std::uint64_t> futures();
  std::vector<index> way_to(index which) const;

  const bounds& bounds_;
  const double seconds_;
  std::vector<state> states_;
  visited visited_;
  fingerprint fingerprint_;
  // In the arena, where it is never destroyed.
  scene* scene_ = nullptr;
  /// The states from the first to the current state, and their images.
  std::vector<index> way_;
  std::vector<arena::image> images_;
  /// The event that is tried out in the current state.
  std::optional<event> trying_;
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> samples_;
  bool complete_ = false;
  std::size_t transitions_ = 0;
  std::size_t depth_ = 0;
  std::size_t quiet_ = 0;
  std::size_t compared_ = 0;
  event_counts counts_{};
};

} // namespace exhaustive
