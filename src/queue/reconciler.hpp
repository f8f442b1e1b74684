#pragma once

#include "queue/action.hpp"
#include "queue/downgrades.hpp"
#include "queue/entry_life.hpp"
#include "queue/line.hpp"
#include "queue/orphans.hpp"
#include "queue/own_entries.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace zklock::queue {

/// Reconciles our entries with the nodes that a list shows.
class reconciler {
 public:
  /// All arguments must outlive the object.
  reconciler(line& line, orphans& orphans, entry_life& life, downgrades& downgrades)
      : line_(line),
        orphans_(orphans),
        entries_(life.entries()),
        life_(life),
        downgrades_(downgrades) {}

  /// The directory was listed. `recovers`: the list settles the requests in flight of a lost
  /// connection, together with the earlier list of the permits.
  void listed(event_context& context, std::span<const std::string_view> names,
              std::int64_t children_ever, bool recovers);

  /// The servers have refused the list of a recovery. Nodes that requests of the lost connection
  /// may have created go with the session.
  void not_listed(event_context& context);

 private:
  /// The nodes of an entry that a list shows.
  enum class seen : std::uint8_t {
    /// The node that was created first.
    first,
    /// All nodes that replace the first node.
    replaced,
    /// Some of the permits that replace the first node.
    part,
    none,
    /// There is no list.
    unknown,
  };

  bool is_node_of(const entry& e, const entry_name& node, const line::listing& shown) const;
  static seen seen_of(const entry& e, role shown) noexcept;
  static seen seen_of_permits(const entry& e) noexcept;
  bool settle_missing(event_context& context, bool recovers);
  void lose_overtaken(event_context& context);

  // The table: the state of an entry, and the nodes that were seen.
  void settle(event_context& context, entry& e, seen what);
  void settle_node(event_context& context, entry& e, seen what);
  void settle_downgrade(event_context& context, entry& e, seen what);
  void settle_replacing(event_context& context, entry& e, seen what);
  void settle_permits(event_context& context, entry& e, seen what);

  line& line_;
  orphans& orphans_;
  own_entries& entries_;
  entry_life& life_;
  downgrades& downgrades_;
};

} // namespace zklock::queue
