#pragma once

#include <zklock/any_lock.hpp>

#include <concepts>
#include <cstdint>
#include <string>
#include <utility>

namespace zklock {

/// Names the znode that has the number of permits of a semaphore, as Curator's SharedCount keeps
/// it: four bytes, the highest first. A client that may write it raises and lowers the limit while
/// others hold and wait.
struct limit_node {
  /// The path of the znode, relative to the chroot.
  std::string path;
};

/// A lock with a number of permits. As many can be held at a time, over all processes. Curator
/// calls permits leases.
///
/// It is fair: waiters get permits first come, first served (FIFO), whatever the number that they
/// ask for. Several permits are taken together or not at all, so that no waiter ever holds a part
/// of them.
///
/// It is not reentrant unless an owner is given with `acquire_options::by`: a coroutine that holds
/// the last permits and acquires one more waits for itself until its timeout.
///
/// On the wire it is Curator's InterProcessSemaphoreV2, and shares paths with it. All clients of a
/// path must agree on the limit.
///
/// Thread safety: safe, except for destroying and assigning.
class ZKLOCK_EXPORT semaphore : public any_lock {
 public:
  /// Names a semaphore with a fixed limit: a number of permits from 1 to `most_permits`. `path` is
  /// the znode under which the client creates one directory for the entries and one for the
  /// permits. Sends no request.
  ///
  /// Errors: throws `boost::system::system_error` with `errc::bad_path` or `errc::bad_permits`,
  /// whose `what()` names the path or the number, and what is wrong with it.
  ///
  /// Thread safety: distinct objects: safe.
  semaphore(const client& client, std::string_view path, std::int64_t limit);

  /// Names a semaphore whose limit is kept in a znode. A lower limit takes no permit from its
  /// holder. `path` is the znode under which the client creates one directory for the entries and
  /// one for the permits. Sends no request.
  ///
  /// Errors: throws `boost::system::system_error` with `errc::bad_path`, whose `what()` names the
  /// path and what is wrong with it.
  ///
  /// Thread safety: distinct objects: safe.
  semaphore(const client& client, std::string_view path, const limit_node& limit);

  /// The most permits that one acquire can take, and the highest fixed limit. A limit that is kept
  /// in a znode may be higher. Long paths and access lists lower it: the transaction that takes the
  /// permits must fit into 1 MiB, and their nodes into `client_options::owned_bytes`.
  static constexpr std::int64_t most_permits = 1000;

  /// Returns a lock that is held by a number of permits. A number that is negative, zero, above
  /// `most_permits`, or too large for one transaction makes its acquires fail with
  /// `errc::bad_permits` at once. So does a number above the limit; where that is kept in a znode,
  /// as soon as it is known. A number that never fits into `client_options::owned_bytes` makes them
  /// fail with `errc::budget_exhausted`.
  ///
  /// Thread safety: safe.
  any_lock permits(std::int64_t count) const;

  using any_lock::acquire;

  /// Waits for a number of permits without a timeout.
  ///
  /// @copydetails any_lock::acquire(acquire_options, CompletionToken&&)
  template <std::integral Count, boost::asio::completion_token_for<void(error_code, hold)>
                                     CompletionToken = boost::asio::deferred_t>
  auto acquire(Count count, CompletionToken&& token = {}) {
    return permits(static_cast<std::int64_t>(count)).acquire(std::forward<CompletionToken>(token));
  }

  /// Waits for a number of permits until a timeout is over. It counts from the start of the
  /// operation, and covers connecting, getting in line and waiting. Zero is a try.
  ///
  /// @copydetails any_lock::acquire(acquire_options, CompletionToken&&)
  template <std::integral Count, class Rep, class Period,
            boost::asio::completion_token_for<void(error_code, hold)> CompletionToken =
                boost::asio::deferred_t>
  auto acquire(Count count, std::chrono::duration<Rep, Period> timeout,
               CompletionToken&& token = {}) {
    return permits(static_cast<std::int64_t>(count))
        .acquire(timeout, std::forward<CompletionToken>(token));
  }

  /// Waits for a number of permits, as the options say.
  ///
  /// @copydetails any_lock::acquire(acquire_options, CompletionToken&&)
  template <std::integral Count, boost::asio::completion_token_for<void(error_code, hold)>
                                     CompletionToken = boost::asio::deferred_t>
  auto acquire(Count count, acquire_options options, CompletionToken&& token = {}) {
    return permits(static_cast<std::int64_t>(count))
        .acquire(std::move(options), std::forward<CompletionToken>(token));
  }
};

} // namespace zklock
