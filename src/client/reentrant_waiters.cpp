#include "client/reentrant_waiters.hpp"

#include "client/client_impl.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace zklock::detail {

// Posted, since it is called inside events of locks.
void reentrant_waiters::look() {
  if (waiters_.empty() || std::exchange(looking_, true)) return;
  asio::post(client_.strand(), [client = client_.shared_from_this(), this] {
    looking_ = false;
    if (!client->gone()) serve();
  });
}

void reentrant_waiters::serve() {
  auto& locks = client_.locks();
  std::vector<std::shared_ptr<acquisition>> left;
  for (const auto& c : std::exchange(waiters_, {})) {
    // It timed out or was cancelled.
    if (c->current() != acquisition::phase::waiting) continue;
    lock_in_use* const used = locks.use(c->path());
    if (!used && !locks.clear_way(*c->path())) {
      deadlines::remove(*c);
      c->refuse(errc::lock_type_mismatch);
      continue;
    }
    using sharing = lock_in_use::sharing;
    auto found = sharing::unproven;
    if (used) {
      c->count_in(used->counters());
      found = c->owner() == 0 ? sharing::none : used->share(c);
    }
    if (found == sharing::unproven) left.push_back(c);
    if (found == sharing::none) locks.start(c, *used);
  }
  waiters_.insert(waiters_.end(), left.begin(), left.end());
}

void reentrant_waiters::refuse_all(error_code why) {
  for (const auto& c : std::exchange(waiters_, {}))
    if (c->current() == acquisition::phase::waiting) c->refuse(why);
}

std::vector<std::shared_ptr<acquisition>> reentrant_waiters::abandon() noexcept {
  return std::exchange(waiters_, {});
}

} // namespace zklock::detail
