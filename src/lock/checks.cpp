// How a client keeps its session proven, and finds entries that somebody else deleted.

#include "lock/client_state.hpp"

#include <algorithm>
#include <span>

namespace zklock::detail {

namespace {

// How many nodes are looked for in one transaction: enough to make many locks cheap, few enough
// to stay far below what the servers accept in one packet.
constexpr std::size_t checks_at_once = 128;

} // namespace

bool client_state::proven() noexcept {
  refresh_proof();
  return boot_clock::now() < proof_.until();
}

void client_state::refresh_proof() noexcept {
  if (connected()) proof_.confirmed(session_->confirmed(), session_timeout());
}

void client_state::entry_made() {
  if (checks_running_) return;
  checks_running_ = true;
  wait_for_check();
}

void client_state::wait_for_check() {
  check_timer_->expires_after(proof_.interval(session_timeout()));
  check_timer_->async_wait([weak = weak_from_this()](error_code error) {
    const auto self = weak.lock();
    if (!error && self && !self->gone_ && !self->over_) self->check_entries();
  });
}

// Also of entries so young that making them proves the session: somebody may have deleted them.
void client_state::check_entries() {
  if (connected() && checking_ == 0) {
    for (const auto& [path, place] : directories_) {
      const auto nodes = place->collect(unchecked_paths_);
      for (const auto& [id, node] : nodes)
        unchecked_.push_back({place.get(), id, node});
    }
    send_checks();
  }
  const bool needed = std::any_of(directories_.begin(), directories_.end(),
                                  [](const auto& d) { return !d.second->idle(); });
  checks_running_ = needed;
  if (needed) wait_for_check();
}

void client_state::send_checks() {
  checking_ = std::min(unchecked_.size(), checks_at_once);
  if (checking_ != 0) session_->check(std::span(unchecked_paths_).first(checking_), *this, {});
}

void client_state::on_reply(zookeeper::request_tag, const zookeeper::reply& reply) noexcept {
  refresh_proof();
  const bool all = reply.result == zookeeper::status::ok;
  const auto done = all ? checking_ : std::min(reply.first_failed + 1, checking_);
  const auto failed = unchecked_[done - 1];
  using difference = std::ptrdiff_t;
  unchecked_.erase(unchecked_.begin(), unchecked_.begin() + static_cast<difference>(done));
  unchecked_paths_.erase(unchecked_paths_.begin(),
                         unchecked_paths_.begin() + static_cast<difference>(done));
  // The transaction ends with the first node that is missing: those behind it are asked for again.
  send_checks();
  if (reply.result == zookeeper::status::no_node) failed.place->missing(failed.id, failed.node);
}

void client_state::wait_for_doubt() {
  if (guarded_.empty()) return;
  const auto margin = session_timeout() / 10;
  const auto until = proof_.until();
  const auto left =
      until == until.min() ? boot_clock::duration::zero() : until - margin - boot_clock::now();
  if (left <= left.zero()) {
    while (!guarded_.empty())
      guarded_.front().unproven(errc::in_doubt);
    return;
  }
  // The timer's clock stands still while the machine is suspended: look at the other one often.
  doubt_timer_->expires_after(std::min<timer::duration>(left, proof_.interval(session_timeout())));
  doubt_timer_->async_wait([weak = weak_from_this()](error_code error) {
    const auto self = weak.lock();
    if (error || !self || self->gone_) return;
    self->refresh_proof();
    self->wait_for_doubt();
  });
}

} // namespace zklock::detail
