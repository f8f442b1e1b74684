// Follows each event of a lock: whether it is idle, refused requests, and the line for the budget
// of owned bytes.

#include "client/client_impl.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace zklock::detail {

void client_impl::settle(lock_in_use& d) {
  look_at_sharers();
  if (d.driver().state().has_refused()) try_again_later();
  idle_.update(d);
  if (lock_in_use* const surplus = idle_.surplus()) forget(*surplus);
  if (!budget_line_.settle(d.driver()) || std::exchange(serving_, true)) return;
  asio::post(*strand_, [self = shared_from_this()] { self->serve_starved(); });
}

void client_impl::forget(lock_in_use& d) {
  idle_.remove(d);
  checks_.forget(d.driver());
  try {
    watches_.release(&d.driver(), *this);
    unused_.add(d.driver().lock(), d.driver().made());
  } catch (const std::bad_alloc&) {
    // The watches end with the connection, and the servers delete empty containers.
    watches_.leave(&d.driver());
  }
  locks_.remove(d);
}

void client_impl::serve_starved() {
  budget_line_.serve([this](auto makes_room) {
    return std::any_of(locks_.begin(), locks_.end(),
                       [&](const auto& each) { return makes_room(each.second->driver()); });
  });
  serving_ = false;
}

} // namespace zklock::detail
