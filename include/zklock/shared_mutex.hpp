#pragma once

#include <zklock/any_lock.hpp>

#include <utility>

namespace zklock {

/// A lock that a writer holds alone, or any number of readers together.
///
/// A shared mutex is fair: writers and readers are granted it first come, first served (FIFO), so
/// that neither side starves. A reader waits for the writers ahead of it, a writer for all entries
/// ahead of it.
///
/// `acquire` and `try_acquire` are for writers. `shared()` is the reader's side as a lock of its
/// own, for `with_lock` and `multi_lock`.
///
/// A writer can become a reader with no other writer in between: `hold::downgrade`. A reader cannot
/// become a writer, since two such readers would wait for each other. A reader with an owner that
/// acquires to write fails with `errc::upgrade_refused` at once. A reader without an owner waits
/// for itself until its timeout: the lock is not reentrant.
///
/// A shared mutex shares paths with Curator's InterProcessReadWriteLock (5.5).
///
/// Thread safety: safe, except for destroying and assigning.
class ZKLOCK_EXPORT shared_mutex : public any_lock {
 public:
  /// Names the lock. `path` is the znode under which each reader and writer has its entry. The
  /// client creates it when the first acquire needs it. Sends no request.
  ///
  /// Errors: throws `boost::system::system_error` with `errc::bad_path`, whose `what()` names the
  /// path and the fault.
  ///
  /// Thread safety: distinct objects may be used concurrently.
  shared_mutex(const client& client, std::string_view path);

  /// Returns the reader's side.
  ///
  /// Thread safety: safe.
  [[nodiscard]] any_lock shared() const;

  /// Waits without a timeout to hold the lock as a reader.
  ///
  /// @copydetails any_lock::acquire(acquire_options, CompletionToken&&) const
  template <boost::asio::completion_token_for<void(error_code, hold)> CompletionToken =
                boost::asio::deferred_t>
  auto acquire_shared(CompletionToken&& token = {}) const {
    return shared().acquire(std::forward<CompletionToken>(token));
  }

  /// Waits for a duration, or until a time point, to hold the lock as a reader. The limit covers
  /// connecting, getting in line and waiting.
  ///
  /// @copydetails any_lock::acquire(acquire_options, CompletionToken&&) const
  template <boost::asio::completion_token_for<void(error_code, hold)> CompletionToken =
                boost::asio::deferred_t>
  auto acquire_shared(time_limit limit, CompletionToken&& token = {}) const {
    return shared().acquire(limit, std::forward<CompletionToken>(token));
  }

  /// Waits as the options say to hold the lock as a reader.
  ///
  /// @copydetails any_lock::acquire(acquire_options, CompletionToken&&) const
  template <boost::asio::completion_token_for<void(error_code, hold)> CompletionToken =
                boost::asio::deferred_t>
  auto acquire_shared(acquire_options options, CompletionToken&& token = {}) const {
    return shared().acquire(options, std::forward<CompletionToken>(token));
  }

  /// Acquires the lock as a reader if no writer holds it or waits for it.
  ///
  /// @copydetails any_lock::try_acquire(CompletionToken&&) const
  template <boost::asio::completion_token_for<void(error_code, hold)> CompletionToken =
                boost::asio::deferred_t>
  auto try_acquire_shared(CompletionToken&& token = {}) const {
    return shared().try_acquire(std::forward<CompletionToken>(token));
  }
};

} // namespace zklock
