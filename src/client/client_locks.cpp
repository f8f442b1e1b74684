// Follows each event of a lock: whether it is idle, refused requests, and the line for the budget
// of owned bytes.

#include "client/client_state.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace zklock::detail {

void client_state::settle(directory& d) {
  look_at_sharers();
  if (d.has_refused()) try_again_later();
  idle_.update(d);
  if (directory* const surplus = idle_.surplus()) forget(*surplus);
  if (!budget_line_.settle(d) || std::exchange(serving_, true)) return;
  asio::post(*strand_, [self = shared_from_this()] { self->serve_starved(); });
}

void client_state::forget(directory& d) {
  idle_.remove(d);
  checks_.forget(d);
  try {
    watches_.release(&d, *session_);
    unused_.add(d.shared_name(), d.made());
  } catch (const std::bad_alloc&) {
    // The watches end with the connection, and the servers delete empty containers.
    watches_.leave(&d);
  }
  locks_.remove(d);
}

void client_state::serve_starved() {
  budget_line_.serve([this](auto makes_room) {
    return std::any_of(locks_.begin(), locks_.end(),
                       [&](const auto& each) { return makes_room(*each.second); });
  });
  serving_ = false;
}

} // namespace zklock::detail
