#pragma once

#include <zklock/detail/initiation.hpp>

#include <utility>

namespace zklock::detail {

/// A hold that an operation releases. clang requires a deferred operation to be copyable, even if
/// it is never copied. So a copy moves the hold: the copy that is started releases it, or else the
/// destructor does.
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
