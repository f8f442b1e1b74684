#include "client/doubt_watch.hpp"

#include "client/client_impl.hpp"
#include "client/lock_log.hpp"

namespace zklock::detail {

// An owner may run one body inside another: both wait on the same acquisition.
void doubt_watch::add(acquisition& held) {
  if (!held.doubt_hook.is_linked()) watched_.push_back(held);
  look();
}

void doubt_watch::look() {
  if (watched_.empty()) return;
  const auto margin = check_timing::margin(client_.session_timeout());
  const auto until = client_.checks().until();
  if (until == until.min() || until - margin <= boot_clock::now()) {
    while (!watched_.empty()) {
      log_doubt(watched_.front());
      watched_.front().unproven(errc::in_doubt);
    }
    return;
  }
  // What is proven moves on with each check: the timer need not be set for each hold.
  if (until - margin >= awaited_) return;
  awaited_ = until - margin;
  if (!timer_) timer_.emplace(client_.strand());
  timer_->expires_at(awaited_);
  client_.when_expired(*timer_, [this] {
    awaited_ = awaited_.max();
    client_.checks().refresh();
    look();
  });
}

void doubt_watch::stop() noexcept {
  timer_.reset();
  awaited_ = awaited_.max();
}

void doubt_watch::abandon() noexcept {
  timer_.reset();
  watched_.clear();
}

} // namespace zklock::detail
