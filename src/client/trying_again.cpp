// Sends deletes again that the servers refused for a reason that may pass.

#include "client/client_impl.hpp"

#include <utility>

namespace zklock::detail {

namespace {

// Often enough for the waiters of a lock, and no burden for throttled servers.
constexpr std::chrono::milliseconds pause{500};

} // namespace

void client_impl::try_again_later() {
  if (std::exchange(trying_again_, true)) return;
  again_timer_->expires_after(pause);
  when_expired(*again_timer_, [this] {
    if (over_) return;
    trying_again_ = false;
    try_again();
  });
}

// A lock with a node to delete is in use: it is not forgotten while others are.
void client_impl::try_again() {
  std::vector<lock_in_use*> concerned;
  for (const auto& [path, place] : locks_)
    if (place->driver().state().has_refused()) concerned.push_back(place.get());
  for (lock_in_use* const place : concerned)
    place->driver().try_again();
}

} // namespace zklock::detail
