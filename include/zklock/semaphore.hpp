#pragma once

#include <zklock/any_lock.hpp>

#include <concepts>
#include <cstdint>
#include <string>
#include <utility>

namespace zklock {

/// Names the node that tells how many permits a semaphore has, as Curator's SharedCount keeps it:
/// four bytes, the highest first. Whoever may write it raises and lowers the limit while others
/// hold and wait.
struct limit_node {
  std::string path;
};

/// A lock that has a number of permits: as many can be held at a time, over all processes. Those
/// who wait get them in the order in which they came, whatever the number that they want.
///
/// Several permits are taken together or not at all: nobody ever holds a part and waits for the
/// rest.
///
/// On the wire it is Curator's InterProcessSemaphoreV2, and shares paths with it. All who use a
/// path must agree on the limit.
///
/// Thread safety: safe, but for destroying and assigning.
class ZKLOCK_EXPORT semaphore : public any_lock {
 public:
  /// Names a semaphore with so many permits, at least one and at most `most_permits`; see `mutex`
  /// for the path.
  ///
  /// Errors: throws `boost::system::system_error` with `errc::bad_path` or `errc::bad_permits`,
  /// whose `what()` names what is wrong.
  semaphore(const client& client, std::string_view path, std::int64_t limit);

  /// Names a semaphore whose limit is kept in a node. Lowering it takes no permit away from who
  /// holds one.
  ///
  /// Errors: as above.
  semaphore(const client& client, std::string_view path, const limit_node& limit);

  /// How many permits one acquire can take, and the highest fixed limit. A limit that is kept in a
  /// node may be higher. Long paths and access lists lower it: the transaction that takes the
  /// permits must fit into 1 MiB, and their nodes into `client_options::owned_bytes`.
  static constexpr std::int64_t most_permits = 1000;

  /// Returns a lock that is held by so many permits. A number that is negative, zero or above
  /// `most_permits`, or does not fit into one transaction, makes its acquires end with
  /// `errc::bad_permits` at once. So does one above the limit; where that is kept in a node, as
  /// soon as it is known. One that can never fit into `client_options::owned_bytes` makes them end
  /// with `errc::budget_exhausted`.
  ///
  /// Thread safety: safe.
  any_lock permits(std::int64_t count) const;

  using any_lock::acquire;

  /// Waits for permits, as long as it takes.
  template <std::integral Count, boost::asio::completion_token_for<void(error_code, hold)>
                                     CompletionToken = boost::asio::deferred_t>
  auto acquire(Count count, CompletionToken&& token = {}) {
    return permits(static_cast<std::int64_t>(count)).acquire(std::forward<CompletionToken>(token));
  }

  /// Waits for permits until a timeout is over.
  template <std::integral Count, class Rep, class Period,
            boost::asio::completion_token_for<void(error_code, hold)> CompletionToken =
                boost::asio::deferred_t>
  auto acquire(Count count, std::chrono::duration<Rep, Period> timeout,
               CompletionToken&& token = {}) {
    return permits(static_cast<std::int64_t>(count))
        .acquire(timeout, std::forward<CompletionToken>(token));
  }

  /// Waits for permits, as the options say.
  template <std::integral Count, boost::asio::completion_token_for<void(error_code, hold)>
                                     CompletionToken = boost::asio::deferred_t>
  auto acquire(Count count, acquire_options options, CompletionToken&& token = {}) {
    return permits(static_cast<std::int64_t>(count))
        .acquire(std::move(options), std::forward<CompletionToken>(token));
  }
};

} // namespace zklock
