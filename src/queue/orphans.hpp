#pragma once

#include "queue/action.hpp"
#include "support/description.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace zklock::queue {

/// Nodes of ours that belong to no entry, since the replies that told of them were lost: they are
/// deleted.
///
/// Invariant: a node stays until its deletion is answered; while there is a connection that is in
/// flight, or was refused and is sent again.
class orphans {
 public:
  /// Deletes a node, unless that is in flight already.
  void remove(event_context& context, std::string name, bool is_permit);

  /// Sends what is not in flight.
  void send(event_context& context);

  /// Returns whether the servers refused for a reason that may pass.
  bool removed(std::string_view name, answer result);

  /// Nothing that is in flight will be answered.
  void disconnected() noexcept;

  /// The session has ended, and its nodes with it.
  void expired() noexcept { nodes_.clear(); }

  bool empty() const noexcept { return nodes_.empty(); }
  bool contains(std::string_view name) const noexcept;

 private:
  template <class Writer>
  friend class zklock::description;

  struct node {
    std::string name;
    bool is_permit = false;
    bool in_flight = false;
  };

  static void send(event_context& context, node& one);

  std::vector<node> nodes_;
};

} // namespace zklock::queue
