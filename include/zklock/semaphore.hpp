#pragma once

#include <zklock/any_lock.hpp>

#include <concepts>
#include <cstdint>
#include <string_view>
#include <utility>

namespace zklock {

/// Names the znode with the number of permits of a semaphore: four bytes, the highest first, as of
/// Curator's SharedCount. A client that may write the znode raises and lowers the limit while other
/// clients hold and wait.
struct limit_node {
  /// The path of the znode, relative to the chroot. The constructor of `semaphore` copies it.
  std::string_view path;
};

/// A lock with a limited number of permits, which processes hold at a time. Curator calls permits
/// leases.
///
/// A semaphore is fair: permits are granted first come, first served (FIFO), however many a waiter
/// requests. Several permits are granted together or not at all: no waiter holds a part of its
/// permits.
///
/// A semaphore is not reentrant without an owner (`acquire_options::owner`): a coroutine that holds
/// the last permits and acquires a further permit waits for itself until its timeout.
///
/// A semaphore shares paths with Curator's InterProcessSemaphoreV2. All clients of a path must
/// agree on the limit.
///
/// Thread safety: safe, except for destroying and assigning.
class ZKLOCK_EXPORT semaphore : public any_lock {
 public:
  /// Names a semaphore with a fixed limit: a number of permits from 1 to `most_permits`. `path` is
  /// the znode under which the client creates a directory for the entries and a directory for the
  /// permits. Sends no request.
  ///
  /// Errors: throws `boost::system::system_error` with `errc::bad_path` or `errc::bad_permits`,
  /// whose `what()` names the path or the number, and the fault.
  ///
  /// Thread safety: distinct objects may be used concurrently.
  semaphore(const client& client, std::string_view path, std::int64_t limit);

  /// Names a semaphore whose limit is kept in a znode. A lower limit takes no permit from its
  /// holder. `path` is the znode under which the client creates a directory for the entries and a
  /// directory for the permits. Sends no request.
  ///
  /// Errors: throws `boost::system::system_error` with `errc::bad_path`, whose `what()` names the
  /// path and the fault.
  ///
  /// Thread safety: distinct objects may be used concurrently.
  semaphore(const client& client, std::string_view path, const limit_node& limit);

  /// The maximum number of permits of an acquire, and the highest fixed limit. A limit that is kept
  /// in a znode may be higher. Long paths and access lists lower the maximum: the transaction that
  /// creates the permits must fit into 1 MiB, and their nodes into
  /// `client_options::max_path_bytes`.
  static constexpr std::int64_t most_permits = 1000;

  /// Returns a lock whose acquires request a number of permits. With a number that is negative,
  /// zero, above `most_permits`, or too large for a transaction, they fail with `errc::bad_permits`
  /// at once. So do acquires of more permits than the limit; if the limit is kept in a znode, as
  /// soon as it is known. If the permits never fit into `client_options::max_path_bytes`, acquires
  /// fail with `errc::budget_exhausted`.
  ///
  /// Thread safety: safe.
  [[nodiscard]] any_lock permits(std::int64_t count) const;

  using any_lock::acquire;
  using any_lock::try_acquire;

  /// Waits for a number of permits without a timeout.
  ///
  /// @copydetails any_lock::acquire(acquire_options, CompletionToken&&) const
  template <std::integral Count, boost::asio::completion_token_for<void(error_code, hold)>
                                     CompletionToken = boost::asio::deferred_t>
  auto acquire(Count count, CompletionToken&& token = {}) const {
    return permits(static_cast<std::int64_t>(count)).acquire(std::forward<CompletionToken>(token));
  }

  /// Waits for a number of permits for a duration, or until a time point. The limit covers
  /// connecting, getting in line and waiting.
  ///
  /// @copydetails any_lock::acquire(acquire_options, CompletionToken&&) const
  template <std::integral Count, boost::asio::completion_token_for<void(error_code, hold)>
                                     CompletionToken = boost::asio::deferred_t>
  auto acquire(Count count, time_limit limit, CompletionToken&& token = {}) const {
    return permits(static_cast<std::int64_t>(count))
        .acquire(limit, std::forward<CompletionToken>(token));
  }

  /// Waits for a number of permits, as the options say.
  ///
  /// @copydetails any_lock::acquire(acquire_options, CompletionToken&&) const
  template <std::integral Count, boost::asio::completion_token_for<void(error_code, hold)>
                                     CompletionToken = boost::asio::deferred_t>
  auto acquire(Count count, acquire_options options, CompletionToken&& token = {}) const {
    return permits(static_cast<std::int64_t>(count))
        .acquire(options, std::forward<CompletionToken>(token));
  }

  /// Acquires a number of permits if they are free.
  ///
  /// @copydetails any_lock::try_acquire(CompletionToken&&) const
  template <std::integral Count, boost::asio::completion_token_for<void(error_code, hold)>
                                     CompletionToken = boost::asio::deferred_t>
  auto try_acquire(Count count, CompletionToken&& token = {}) const {
    return permits(static_cast<std::int64_t>(count))
        .try_acquire(std::forward<CompletionToken>(token));
  }
};

} // namespace zklock
