#pragma once

#include "client/lock_definition.hpp"
#include "zookeeper/request.hpp"

#include <bitset>
#include <cstddef>
#include <deque>
#include <memory>
#include <string_view>
#include <vector>

namespace zklock::detail {

class client_state;

/// Which directories of a lock a client has made, in the order in which they are deleted: the line;
/// of a semaphore also the permits and what both are in. What is above them is none of its own.
using made_directories = std::bitset<3>;
enum : std::size_t { made_line, made_permits, made_full };

/// The directories that a client has made for locks that it has forgotten. They are deleted in the
/// background: many in one transaction, one transaction at a time, none before there are enough of
/// them. The servers delete containers themselves, but fewer than a busy client makes.
///
/// A directory that is not empty stays, with those of its lock that come after it, and is asked for
/// no more: its transaction fails as a whole, and the rest of it is sent again. A transaction is
/// half as large after each that failed and twice as large after each that did not, so that there
/// are never more of them than locks.
///
/// Whoever is about to use a directory that is deleted here makes it anew, as after the servers
/// have deleted it. Used on the client's strand only.
class unused_directories final : public zookeeper::receiver {
 public:
  explicit unused_directories(client_state& client) noexcept;

  /// A lock is forgotten.
  void add(std::shared_ptr<const lock_definition> lock, made_directories made);

  /// A lock is used again. Returns what was to be deleted of it. What is on its way is deleted
  /// before the requests that follow are carried out, or not at all.
  made_directories take(std::string_view line);

  /// What is on its way was deleted or not: the servers see to what is left.
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

  client_state& client_;
  // The first that was forgotten is the first to go.
  std::deque<unused> waiting_;
  // Those of the transaction that is under way; those that are used again have no lock.
  std::vector<unused> sent_;
  // How many locks go into the next transaction.
  std::size_t at_once_;
};

} // namespace zklock::detail
