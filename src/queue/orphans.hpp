#pragma once

#include "queue/action.hpp"
#include "support/description.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace zklock::queue {

/// Nodes of ours that belong to no known entry, since the replies to their creates were lost: they
/// are deleted.
///
/// Invariant: a node stays until its delete is answered. While there is a connection, the delete is
/// in flight, or was refused and is to be retried.
class orphans {
 public:
  /// Deletes a node, unless its delete is in flight.
  void remove(event_context& context, std::string name, bool is_permit);

  /// Sends the deletes that are not in flight.
  void send(event_context& context);

  /// The answer to a delete. Returns whether the servers refused it for a transient reason.
  bool removed(std::string_view name, answer result);

  /// The deletes in flight will not be answered.
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
