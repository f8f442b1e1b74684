#pragma once

#include <zklock/detail/lock_request.hpp>
#include <zklock/detail/owned_options.hpp>

#include "client/acquisition.hpp"
#include "client/boot_timer.hpp"
#include "client/client_core.hpp"
#include "client/client_session.hpp"
#include "client/lock_lines.hpp"
#include "client/observation.hpp"
#include "client/operation.hpp"
#include "client/query.hpp"
#include "client/session_room.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace zklock::detail {

/// The calls of locks and holds on their client: begin acquisitions and end them, on the fast path
/// where the line of the lock allows that, and otherwise on the strand. A reference to the calls
/// keeps the client alive. Any thread. After the execution context is destroyed no call has an
/// effect. Invariant: a hold ends once, on the fast path or on the strand.
class lock_calls {
 public:
  lock_calls(client_core& core, client_session& session, lock_lines& lines,
             open_queries& queries) noexcept
      : core_(core), session_(session), lines_(lines), queries_(queries) {}

  client_core& core() noexcept { return core_; }
  open_queries& queries() noexcept { return queries_; }

  void acquire(const lock_request& wanted, const owned_options& options,
               handler<acquire_signature> handler, std::shared_ptr<observation> observed,
               std::weak_ptr<reserved_room> room = {}) {
    start(wanted, options, std::move(handler), std::move(observed), std::move(room), false);
  }
  /// Acquires the lock if it is free. A lock that is taken is no error.
  void try_acquire(const lock_request& wanted, handler<acquire_signature> handler,
                   std::shared_ptr<observation> observed) {
    start(wanted, owned_options({.timeout = std::chrono::nanoseconds::zero()}), std::move(handler),
          std::move(observed), {}, true);
  }
  void downgrade(std::shared_ptr<acquisition> c, operation<error_code> op);
  /// `identity`: empty for the client's.
  void set_identity(std::shared_ptr<acquisition> c, const std::string& identity,
                    operation<error_code> op);
  void release(std::shared_ptr<acquisition> c, operation<error_code> op);
  /// Releases a hold in the background.
  void release(std::shared_ptr<acquisition> c) noexcept;
  void wait_lost(std::shared_ptr<acquisition> c, operation<error_code, error_code> op);
  /// Has a timer expire when the hold is lost, or `end_of_body` becomes earlier.
  void watch_body(std::shared_ptr<acquisition> c, boot_timer_link body);
  /// The stop token of a hold: stopped when the hold is lost, or `end_of_body` has come.
  std::stop_token stop_token(const std::shared_ptr<acquisition>& c);
  /// Reserves room in `client_options::max_path_bytes` for the locks that the owner, if there is an
  /// owner, does not hold yet.
  void reserve(std::vector<lock_request> wanted, std::uint64_t owner,
               std::chrono::nanoseconds timeout, handler<room_signature> handler);

 private:
  void start(const lock_request& wanted, const owned_options& options,
             handler<acquire_signature> handler, std::shared_ptr<observation> observed,
             std::weak_ptr<reserved_room> room, bool answers);
  bool begin(const std::shared_ptr<acquisition>& c, std::chrono::nanoseconds timeout) noexcept;
  void look(const std::shared_ptr<const lock_definition>& lock);
  bool end_fast(acquisition& c);
  void release_on_strand(acquisition& c, const operation<error_code>& op);
  std::size_t bytes_of(const std::vector<lock_request>& wanted, std::uint64_t owner);

  client_core& core_;
  client_session& session_;
  lock_lines& lines_;
  open_queries& queries_;
};

inline std::shared_ptr<client_core> core_of(const std::shared_ptr<lock_calls>& client) noexcept {
  return {client, &client->core()};
}

/// Tells the client's observer of the start of an acquire; null if there is none.
std::shared_ptr<observation> observe(const lock_request& wanted, std::chrono::nanoseconds timeout);

/// Has the hold of an acquisition end on the strand, since an operation there waits for the end.
/// Call it on the strand.
void end_on_strand(acquisition& c) noexcept;

} // namespace zklock::detail
