#pragma once

#include "client/check_timing.hpp"
#include "client/client_locks.hpp"
#include "client/client_session.hpp"
#include "client/lock_definition.hpp"
#include "queue/entry.hpp"
#include "zookeeper/request.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::detail {

/// The nodes that a round of session checks has not checked yet: the nodes of the client's entries,
/// and the nodes for which the client has waited for longer than two session timeouts, which the
/// quorum may not have. Used on the client's strand only. Invariant: each node has its path, at the
/// index of the node.
class check_list {
 public:
  check_list(client_session& session, client_locks& locks, const check_timing& timing) noexcept
      : session_(session), locks_(locks), timing_(timing) {}

  /// Lists the nodes of a new round.
  void collect();

  void clear() noexcept;

  /// Returns the paths of the next nodes: as many as fit into a transaction, but at least a single
  /// node if any is left.
  std::span<const std::string> next() const noexcept;

  /// Returns a directory whose permits are to be listed; null if there is none.
  const std::string* directory() const noexcept {
    return unlisted_.empty() ? nullptr : &unlisted_.back();
  }
  /// The directory was listed: adds its permits.
  void listed(const zookeeper::reply& reply);

  struct node {
    /// Null for a node that the client has not made: an entry of another client, whose node is
    /// watched, or a permit, whose directory is watched.
    std::shared_ptr<const lock_definition> lock{};
    queue::entry_id entry = 0;
    queue::form form{};
    zookeeper::watch_kind watched{};
    std::string path{};
  };

  /// Removes the nodes that a transaction of the first `count` nodes has checked, and returns the
  /// last of them. The transaction fails at the first missing node.
  node take(std::size_t count, const zookeeper::reply& reply);

  /// The quorum does not have this node.
  void missing(const node& gone);

 private:
  std::uint64_t rounds() const noexcept;
  std::vector<std::string> awaited_entries() const;
  std::vector<std::string> awaited_directories() const;
  void awaited_is_missing(std::string_view path, zookeeper::watch_kind by);

  client_session& session_;
  client_locks& locks_;
  const check_timing& timing_;
  // The directories whose permits the round checks, but has not listed yet.
  std::vector<std::string> unlisted_;
  // Without their paths.
  std::vector<node> nodes_;
  std::vector<std::string> paths_;
};

} // namespace zklock::detail
