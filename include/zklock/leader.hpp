#pragma once

#include <zklock/mutex.hpp>
#include <zklock/with_lock.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

namespace zklock {

/// A candidate for being the one, over all processes that name the same path, who does something:
/// again and again, whenever the one before has gone.
///
/// The leader is who holds a `mutex` at the path, and the next one is who has waited longest.
/// Curator's LeaderSelector (not its LeaderLatch) takes part on the same path.
///
/// It is only a name, as any lock is.
///
/// Thread safety: safe, but for destroying and assigning.
///
/// Source: Curator's LeaderSelector.
class ZKLOCK_EXPORT leader {
 public:
  /// Names the election; see `mutex` for the path. Nothing is sent yet.
  ///
  /// Errors: throws `boost::system::system_error` with `errc::bad_path`.
  leader(const client& client, std::string_view path) : lock_(client, path) {}

  /// Waits to be elected, runs a coroutine while leading, and waits to be elected again where the
  /// leadership was lost meanwhile: until the coroutine has come to its end while it led.
  ///
  /// `body` is called with the hold, or with nothing, each time that the candidate is elected. It
  /// runs and is cancelled as by `with_lock`, and must let itself be cancelled: one that is
  /// cancelled and throws `operation_aborted` is called again, as is one that ends when others may
  /// lead already; one that returns in time has come to its end.
  ///
  /// Completion: returns what the body returned, once the leadership is given back; see
  /// `with_lock`.
  ///
  /// Errors: throws what the body threw, the leadership being given back; and
  /// `boost::system::system_error` with the errors of `any_lock::acquire`: all that waiting cannot
  /// cure.
  ///
  /// Cancellation: terminal; it ends the wait, or is passed on to the body, which is not called
  /// again.
  ///
  /// Thread safety: safe. Several runs are several candidates.
  template <class Body>
  boost::asio::awaitable<detail::body_result<Body, hold>> run(Body body) const {
    return run_with(lock_, std::move(body));
  }

  /// Returns the lock that whoever leads holds. Who that is, who comes next and when somebody else
  /// leads is told by its `participants` and `wait_holder_changed`.
  ///
  /// Thread safety: safe.
  any_lock lock() const { return lock_; }

  /// Returns the executor of the client.
  ///
  /// Thread safety: safe.
  mutex::executor_type get_executor() const noexcept { return lock_.get_executor(); }

  /// Returns the path as it was given.
  ///
  /// Thread safety: safe.
  std::string_view path() const noexcept { return lock_.path(); }

 private:
  template <class Body>
  static boost::asio::awaitable<detail::body_result<Body, hold>> run_with(mutex lock, Body body) {
    for (;;) {
      hold held = co_await lock.acquire(boost::asio::use_awaitable);
      if constexpr (std::is_void_v<detail::body_result<Body, hold>>) {
        const error_code lost =
            co_await detail::run_until_lost(held, detail::call_body(body, held));
        if (!lost) co_return;
      } else {
        std::optional<detail::body_result<Body, hold>> result;
        const error_code lost =
            co_await detail::run_until_lost(held, detail::keep_result(body, held, result));
        if (!lost) co_return std::move(*result);
      }
    }
  }

  mutex lock_;
};

} // namespace zklock
