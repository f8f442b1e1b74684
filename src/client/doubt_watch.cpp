#include "client/doubt_watch.hpp"

#include "client/client_impl.hpp"
#include "client/lock_log.hpp"

#include <algorithm>
#include <chrono>

namespace zklock::detail {

doubt_watch::doubt_watch(client_impl& client) : client_(client), timer_(client.strand()) {}

// An owner may run one body inside another: both wait on the same acquisition.
void doubt_watch::add(acquisition& held) {
  if (!held.doubt_hook.is_linked()) watched_.push_back(held);
  wait();
}

void doubt_watch::wait() {
  if (watched_.empty()) return;
  auto& checks = client_.checks();
  const auto margin = check_timing::margin(client_.session_timeout());
  const auto until = checks.until();
  const auto left =
      until == until.min() ? boot_clock::duration::zero() : until - margin - boot_clock::now();
  if (left <= left.zero()) {
    while (!watched_.empty()) {
      log_doubt(watched_.front());
      watched_.front().unproven(errc::in_doubt);
    }
    return;
  }
  // The timer's clock stands still while the machine is suspended: look at the other one often.
  timer_->expires_after(std::min<std::chrono::steady_clock::duration>(left, checks.interval()));
  client_.when_expired(*timer_, [this] {
    client_.checks().refresh();
    wait();
  });
}

void doubt_watch::stop() noexcept {
  timer_->cancel();
}

void doubt_watch::abandon() noexcept {
  timer_.reset();
  watched_.clear();
}

} // namespace zklock::detail
