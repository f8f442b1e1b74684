#pragma once

#include "client/client_session.hpp"
#include "client/made_directories.hpp"
#include "zookeeper/request.hpp"

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::detail {

/// The directories that a client created for locks that it has forgotten: deletes them in batches,
/// a single transaction at a time. The servers delete empty containers, but fewer than a busy
/// client creates. A lock that is used again creates a deleted directory anew. Used on the client's
/// strand only.
class unused_directories final : public zookeeper::receiver {
 public:
  explicit unused_directories(client_session& session) noexcept;

  /// A lock is forgotten. `line`: the directory of its entries.
  void add(std::string_view line, made_directories made);

  /// A lock is used again. Returns the directories that were to be deleted. A transaction in flight
  /// is committed before the requests that follow it, or fails.
  made_directories take(std::string_view line);

  /// The outcome of the transaction in flight is unknown: the rest is left to the servers.
  void disconnected() noexcept { sent_.clear(); }

  void clear() noexcept;

 private:
  struct unused {
    std::string line;
    made_directories made;
  };

  void send();
  void leave_failed(std::size_t index);
  void on_reply(zookeeper::request_tag tag, const zookeeper::reply& reply) noexcept override;

  client_session& session_;
  // In the order in which the locks were forgotten.
  std::deque<unused> waiting_;
  // The directories of the transaction in flight; `line` is empty if the lock is used again.
  std::vector<unused> sent_;
  // How many locks go into the next transaction.
  std::size_t at_once_;
};

} // namespace zklock::detail
