// How a client keeps its session proven, and finds entries that were deleted by another client.

#include "client/client_state.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace zklock::detail {

namespace {

// How many nodes are looked for in one transaction: enough to make many locks cheap, few enough
// to stay far below what the servers accept in one packet.
constexpr std::size_t checks_at_once = 128;

// What a check consists of; each begins when the one before is answered.
enum : int { look_for_nodes, confirm, touch, prove };

} // namespace

bool client_state::proven() noexcept {
  refresh_proof();
  return boot_clock::now() < proof_.until();
}

void client_state::refresh_proof() noexcept {
  if (!over_) proof_.prove(session_->valid_until());
}

void client_state::entry_made() {
  last_use_ = timer::clock_type::now();
}

void client_state::wait_for_check() {
  check_timer_->expires_after(proof_.interval(session_timeout()));
  check_timer_->async_wait([weak = weak_from_this()](error_code error) {
    const auto self = weak.lock();
    if (error || !self || self->gone_ || self->over_) return;
    self->sweep();
    if (self->to_close_.exchange(false)) return self->start_close(nullptr);
    if (self->connected()) self->check();
  });
}

// A client that uses locks has its session proven without end: by two writes, one after the other.
// One that does not sends two requests that a single server answers. The write of a later acquire
// then proves what those touched, and the lock costs one more round trip instead of a tick.
void client_state::check() {
  wait_for_check();
  if (checking_) return;
  checking_ = true;
  committed_ = touched_ = 0;
  if (!in_use()) return touch_session();
  // Also entries so young that making them proves the session: another client may have deleted
  // them.
  for (const auto& [path, place] : directories_) {
    const auto nodes = place->collect(unchecked_paths_);
    for (const auto& [id, node] : nodes)
      unchecked_.push_back({place->shared_name(), id, node});
  }
  go_on_checking();
}

bool client_state::in_use() const noexcept {
  return timer::clock_type::now() - last_use_ < session_timeout() ||
         std::any_of(directories_.begin(), directories_.end(),
                     [](const auto& each) { return !each.second->idle(); });
}

void client_state::go_on_checking() {
  if (const auto count = std::min(unchecked_.size(), checks_at_once); count != 0)
    session_->check(std::span(unchecked_paths_).first(count), *this, {look_for_nodes, count});
  else if (committed_ < 2)
    session_->confirm(*this, {confirm});
  else
    checking_ = false;
}

void client_state::touch_session() {
  if (touched_++ < 2)
    session_->exists(chroot_.empty() ? "/" : chroot_, false, *this, {touch});
  else
    checking_ = false;
}

void client_state::on_reply(zookeeper::request_tag tag, const zookeeper::reply& reply) noexcept {
  refresh_proof();
  look_at_sharers();
  switch (tag.what) {
  case look_for_nodes:
    committed_ += zookeeper::is_committed(reply.result);
    return nodes_checked(tag.which, reply);
  case confirm:
    // One that is refused is not sent again before the next check.
    committed_ = zookeeper::is_committed(reply.result) ? committed_ + 1 : 2;
    return go_on_checking();
  case touch:
    return touch_session();
  default:
    proving_ = false;
    return prove_session();
  }
}

// The transaction ends with the first node that is missing: those behind it are asked for again.
void client_state::nodes_checked(std::size_t count, const zookeeper::reply& reply) {
  const bool all = reply.result == zookeeper::status::ok;
  const auto done = all ? count : std::min(reply.first_failed + 1, count);
  const auto failed = unchecked_[done - 1];
  using difference = std::ptrdiff_t;
  unchecked_.erase(unchecked_.begin(), unchecked_.begin() + static_cast<difference>(done));
  unchecked_paths_.erase(unchecked_paths_.begin(),
                         unchecked_paths_.begin() + static_cast<difference>(done));
  go_on_checking();
  if (reply.result != zookeeper::status::no_node) return;
  // The directory may be forgotten, or another one, by now.
  if (const auto it = directories_.find(failed.lock->line); it != directories_.end())
    it->second->missing(failed.id, failed.node);
}

void client_state::when_proven(directory& d) {
  unproven_.push_back(&d);
  prove_session();
}

// Each write waits for the answer to the one before, and for the time from which it proves
// something.
void client_state::prove_session() {
  if (unproven_.empty() || proving_) return;
  if (proven()) {
    while (!unproven_.empty()) {
      directory& each = *unproven_.back();
      unproven_.pop_back();
      each.confirmed();
    }
    return;
  }
  proving_ = true;
  const auto from = session_->useful_from();
  const auto now = boot_clock::now();
  if (from <= now) return session_->confirm(*this, {prove});
  prove_timer_->expires_after(from - now);
  prove_timer_->async_wait([weak = weak_from_this()](error_code error) {
    const auto self = weak.lock();
    if (error || !self || self->gone_ || self->over_) return;
    self->proving_ = false;
    self->prove_session();
  });
}

// Requests that were in flight are not answered.
void client_state::stop_checking() noexcept {
  checking_ = proving_ = false;
  unchecked_.clear();
  unchecked_paths_.clear();
  unproven_.clear();
  check_timer_->cancel();
  prove_timer_->cancel();
}

void client_state::wait_for_doubt() {
  if (guarded_.empty()) return;
  const auto margin = proof::margin(session_timeout());
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
