#pragma once

#include <zklock/clock.hpp>

#include "client/check_timing.hpp"
#include "client/lock_definition.hpp"
#include "client/long_waits.hpp"
#include "queue/entry.hpp"
#include "zookeeper/request.hpp"

#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace zklock::detail {

class client_impl;
class lock_driver;

/// Keeps the session of a client proven while its locks are in use, finds entries that another
/// client deleted, and nodes for which a waiter waits although only its server has them.
///
/// Invariant: the periodic check and `when_proven` each have at most one request in flight, so each
/// write is sent after the reply to the write before; the session's validity is computed from that
/// order.
///
/// Used on the client's strand only, but for `until`.
class session_checks final : public zookeeper::receiver {
 public:
  session_checks(client_impl& client, check_timing timing);

  /// Until when the servers cannot have ended the session; the clock's minimum if there is none.
  /// Any thread.
  boot_clock::time_point until() const noexcept { return until_.load(std::memory_order_acquire); }

  /// Updates `until` by the replies that have arrived.
  void refresh() noexcept;

  /// Whether the session is proven now, and will be again before `until`.
  bool proven() noexcept;

  /// There is no session.
  void reset() noexcept {
    until_.store(boot_clock::time_point::min(), std::memory_order_release);
    only_read_ = false;
  }

  /// How long the periodic check waits.
  std::chrono::milliseconds interval() const noexcept;

  /// An entry is created: the session must be proven from now on.
  void note_use() noexcept { last_use_ = std::chrono::steady_clock::now(); }

  /// Starts the periodic check of a new connection. With `resumed` the session is older than the
  /// connection, and holds may be in doubt: a client that is in use checks at once.
  void start(bool resumed);

  /// The connection is gone: requests in flight get no answer.
  void stop() noexcept;

  /// Calls `lock_driver::confirmed` once the session is proven; not after a lost connection.
  void when_proven(lock_driver& waiting);

  /// The driver is about to be destroyed.
  void forget(lock_driver& gone) noexcept;

  /// The execution context is being destroyed.
  void abandon() noexcept;

 private:
  /// The requests that the periodic check sends.
  enum class round : std::uint8_t {
    none,
    /// Writes, which check that nodes exist as long as there are some left to check.
    writes,
    /// Reads, while no lock is in use.
    reads,
  };

  struct own_node {
    std::shared_ptr<const lock_definition> lock;
    queue::entry_id entry;
    queue::form node;
  };

  /// An entry of another client, whose node is watched, or a permit, whose directory is watched.
  using awaited_node = zookeeper::watch_kind;

  using checked_node = std::variant<own_node, awaited_node>;

  void on_reply(zookeeper::request_tag tag, const zookeeper::reply& reply) noexcept override;
  void wait();
  void check();
  bool in_use() const noexcept;
  std::size_t count_next() const noexcept;
  void write();
  void end_in_vain() noexcept;
  void read();
  void nodes_checked(std::size_t count, const zookeeper::reply& reply);
  void collect_awaited();
  void prove();
  void prove_later(boot_clock::duration delay);

  client_impl& client_;
  long_waits awaited_;
  const check_timing timing_;
  std::atomic<boot_clock::time_point> until_{boot_clock::time_point::min()};
  // Gone with the execution context.
  std::optional<boost::asio::steady_timer> check_timer_;
  std::optional<boost::asio::steady_timer> prove_timer_;
  std::chrono::steady_clock::time_point last_use_{};

  round round_ = round::none;
  // The periodic check has read only, since the last round of writes.
  bool only_read_ = false;
  // How many replies of the round count towards a proven session.
  int answered_ = 0;
  // The directories whose permits the round checks, but has not listed yet.
  std::vector<std::string> unlisted_;
  // The nodes that the round has not checked yet, and their paths.
  std::vector<checked_node> unchecked_;
  std::vector<std::string> unchecked_paths_;

  // The drivers that grant nothing before the session is proven.
  std::vector<lock_driver*> unproven_;
  // Whether a write is in flight, or the timer waits for the time from which a write is useful.
  bool proving_ = false;
};

} // namespace zklock::detail
