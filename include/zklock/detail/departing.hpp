#pragma once

#include <zklock/detail/initiation.hpp>

#include <utility>

namespace zklock::detail {

/// What is held, on its way to be released. A deferred operation must be copyable for clang, even
/// where it is never copied; whichever copy is started first gives the lock back, and where none
/// is, the last one does by being destroyed.
template <class Hold>
struct departing {
  explicit departing(Hold&& h) noexcept : held(std::move(h)) {}
  departing(const departing& other) noexcept : held(std::move(other.held)) {}
  departing& operator=(const departing&) = delete;

  void operator()(handler<plain_signature> handler) const {
    Hold::start_release(std::move(held), std::move(handler));
  }

  mutable Hold held;
};

} // namespace zklock::detail
