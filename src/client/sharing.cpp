// An owner that holds a lock acquires it again while the session is in doubt: the acquisition waits
// until the session is proven. Then it shares the hold, or gets in line if the hold has ended.

#include "client/client_impl.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace zklock::detail {

// Posted, since it is called inside events of locks.
void client_impl::look_at_sharers() {
  if (sharers_.empty() || std::exchange(looking_at_sharers_, true)) return;
  asio::post(*strand_, [self = shared_from_this()] {
    self->looking_at_sharers_ = false;
    if (!self->gone_) self->serve_sharers();
  });
}

void client_impl::serve_sharers() {
  std::vector<std::shared_ptr<acquisition>> left;
  for (const auto& c : std::exchange(sharers_, {})) {
    // It timed out or was cancelled.
    if (c->current() != acquisition::phase::waiting) continue;
    lock_in_use* const place = directory_of(c->path());
    if (!place) {
      deadlines::remove(*c);
      c->refuse(errc::lock_type_mismatch);
      continue;
    }
    const auto shared = place->share(c);
    if (shared == lock_in_use::sharing::unproven) left.push_back(c);
    if (shared == lock_in_use::sharing::none) enter(c, *place);
  }
  sharers_.insert(sharers_.end(), left.begin(), left.end());
}

} // namespace zklock::detail
