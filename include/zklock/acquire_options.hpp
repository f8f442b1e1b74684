#pragma once

#include <zklock/owner.hpp>
#include <zklock/time_limit.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>

namespace zklock {

class queued_function;

namespace detail {

class owned_options;

template <class T>
concept no_queued_function = !std::same_as<std::remove_cv_t<T>, queued_function>;

} // namespace detail

/// A reference to a function of the program that takes the number of entries and waiters ahead of a
/// waiter. An acquire copies the function.
///
/// Thread safety: distinct objects may be used concurrently.
class queued_function {
 public:
  /// Refers to no function.
  ///
  /// Thread safety: safe.
  constexpr queued_function() noexcept = default;

  /// Refers to `function`: a function, or an object that can be copied and called with a
  /// `std::size_t`. The object has a name, and exists at least until the acquire is called. A
  /// temporary is refused at compile time: a variable of type `acquire_options` would refer to it
  /// when it is gone.
  ///
  /// Thread safety: safe.
  template <detail::no_queued_function Function>
  queued_function(Function& function) noexcept
      : function_(reinterpret_cast<const void*>(std::addressof(function))),
        copy_(&copy_of<Function>) {
    static_assert(std::invocable<Function&, std::size_t>,
                  "zklock: `queued` is called with a std::size_t");
    static_assert(std::copy_constructible<std::decay_t<Function>>,
                  "zklock: the function of `queued` can be copied");
  }

  template <detail::no_queued_function Function>
  queued_function(const Function&& temporary) = delete;

 private:
  friend class detail::owned_options;

  using owned_function = std::function<void(std::size_t)>;

  template <class Function>
  static owned_function copy_of(const void* function) {
    return *reinterpret_cast<std::add_pointer_t<const Function>>(const_cast<void*>(function));
  }

  owned_function copy() const { return copy_ ? copy_(function_) : owned_function(); }

  const void* function_ = nullptr;
  owned_function (*copy_)(const void* function) = nullptr;
};

/// The options of an acquire, for designated initializers: `{.timeout = 5s, .hold_limit = 30s}`.
///
/// The options refer to the text and the function of the program that they name. The function that
/// takes the options copies both before it returns.
struct acquire_options {
  /// How long to wait, or until when: it covers connecting, getting in line and waiting. Zero is a
  /// try; by default the acquire waits for ever.
  time_limit timeout = std::chrono::nanoseconds::max();

  /// How long the lock may be held, from the grant on; the maximum stands for ever. Then the hold
  /// is lost with `errc::hold_limit_reached`, and its entry is deleted. `with_lock` cancels its
  /// body earlier, by a tenth of the hold limit or of the session timeout, whichever is shorter,
  /// also while the client's executor is blocked. The hold is lost once the executor runs again.
  ///
  /// The holder's process enforces the limit. A paused process holds the lock for longer, until its
  /// session ends. The time for which the machine is suspended does not count.
  std::chrono::nanoseconds hold_limit = std::chrono::nanoseconds::max();

  /// The owner of the hold. An owner that holds the lock is granted it again at once, within its
  /// hold limit. Without an owner no two acquires share a hold.
  std::optional<zklock::owner> owner{};

  /// Whether the client may cache the lock, if it has a `client_options::lock_cache`. If not, the
  /// release completes once the entry is gone.
  bool cache = true;

  /// The identity of this acquire: the data of its entry, in place of `client_options::identity`,
  /// which an empty text stands for. `participant::identity` shows it while the acquire waits and
  /// while it holds; `hold::set_identity` changes it later. UTF-8 text of at most 4,096 bytes that
  /// does not begin with the line `__REVOKE__`.
  ///
  /// An entry with an identity of its own is neither cached nor handed over: it is deleted when the
  /// hold is released. While such an acquire waits, the client hands over no entry of the lock. An
  /// acquire by an owner that holds the lock already keeps the identity of the hold.
  ///
  /// If another client deletes an entry, the acquire may be granted the entry of a later acquire.
  /// The client then writes the identity after the grant, and logs a refusal.
  std::string_view identity{};

  /// Called once if the lock is not free, as soon as the place in line is known: with the number of
  /// entries and of this client's waiters ahead of the acquire. The function runs on the client's
  /// strand (see @ref executors) and must not block. It is not called again for a waiter that is
  /// requeued, after an expired session for example. An exception leaves `run()` of the client's
  /// execution context, as an exception of a handler does; the wait goes on.
  queued_function queued{};
};

// gcc 12 destroys an aggregate twice that is written inside a co_await expression.
static_assert(std::is_trivially_destructible_v<acquire_options>);

} // namespace zklock
