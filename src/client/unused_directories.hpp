#pragma once

#include "client/lock_definition.hpp"
#include "client/made_directories.hpp"
#include "zookeeper/request.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <string_view>
#include <vector>

namespace zklock::detail {

class client_impl;

/// The directories that a client created for locks that it has forgotten. They are deleted in the
/// background: many in one transaction, one transaction at a time, none before there are enough of
/// them. The servers delete empty containers, but fewer than a busy client creates.
///
/// A directory that is not empty stays, with those of its lock that come after it: its transaction
/// fails as a whole, and the rest of it is sent again. The size of the transactions is halved after
/// each that fails and doubled after each that succeeds, so there are never more of them than
/// locks.
///
/// A lock that uses a directory deleted here creates it anew, as after the servers have deleted it.
/// Used on the client's strand only.
class unused_directories final : public zookeeper::receiver {
 public:
  explicit unused_directories(client_impl& client) noexcept;

  /// A lock is forgotten.
  void add(std::shared_ptr<const lock_definition> lock, made_directories made);

  /// A lock is used again. Returns the directories that were to be deleted. A transaction in flight
  /// is committed before the requests that follow it, or fails.
  made_directories take(std::string_view line);

  /// The outcome of the transaction in flight is unknown: the rest is left to the servers.
  void disconnected() noexcept { sent_.clear(); }

  void clear() noexcept;

 private:
  struct unused {
    std::shared_ptr<const lock_definition> lock;
    made_directories made;
  };

  void send();
  void leave_failed(std::size_t index);
  void on_reply(zookeeper::request_tag tag, const zookeeper::reply& reply) noexcept override;

  client_impl& client_;
  // In the order in which they were forgotten.
  std::deque<unused> waiting_;
  // Those of the transaction in flight; no lock for those that are used again.
  std::vector<unused> sent_;
  // How many locks go into the next transaction.
  std::size_t at_once_;
};

} // namespace zklock::detail
