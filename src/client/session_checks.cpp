#include "client/session_checks.hpp"

#include "client/client_impl.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace zklock::detail {

namespace {

// The largest number of nodes in a transaction: enough to make many locks cheap.
constexpr std::size_t checks_at_once = 128;

// How many replies of a round make the session proven, or provable by the next write.
constexpr int answers_a_round = 2;

// How long a write that confirms the session waits after a write that was refused.
constexpr std::chrono::milliseconds refused_pause{250};

enum : int { check_nodes, list_of_permits, confirm, touch, confirm_for_grant };

} // namespace

session_checks::session_checks(client_impl& client, check_timing timing)
    : client_(client),
      awaited_(client),
      timing_(timing),
      check_timer_(client.strand()),
      prove_timer_(client.strand()) {}

void session_checks::refresh() noexcept {
  if (!client_.is_over()) until_.store(client_.session().valid_until(), std::memory_order_release);
}

// Reads alone do not move `until`: after a time without locks it may be about to pass, and a body
// that starts now would be cancelled before the next round of writes.
bool session_checks::proven() noexcept {
  refresh();
  return !only_read_ && boot_clock::now() < until();
}

std::chrono::milliseconds session_checks::interval() const noexcept {
  return timing_.interval(client_.session_timeout());
}

void session_checks::start(bool resumed) {
  if (resumed && in_use())
    check();
  else
    wait();
}

void session_checks::wait() {
  check_timer_->expires_after(interval());
  client_.when_expired(*check_timer_, [this] {
    if (!client_.is_over() && client_.connected()) check();
  });
}

// A client that uses locks keeps its session proven by two writes in sequence. A client that uses
// no lock sends two reads, which a single server answers. The write of a later acquire then proves
// that the reads touched the session, so the lock costs a further round trip instead of a tick.
void session_checks::check() {
  wait();
  client_.repeat_connection_check();
  client_.locks().forget_unused();
  if (round_ != round::none) return;
  answered_ = 0;
  if (!in_use()) {
    round_ = round::reads;
    only_read_ = true;
    return read();
  }
  round_ = round::writes;
  // Even young entries, whose creation proves the session, are checked: another client may have
  // deleted them.
  for (const auto& [line, used] : client_.locks().table())
    for (const auto& [entry, node] : used->driver().collect(unchecked_paths_))
      unchecked_.push_back(own_node{used->driver().lock(), entry, node});
  collect_awaited();
  write();
}

// Checks of awaited nodes take the place of a confirm: a round of few checks has no more requests,
// but for the lists of permits.
void session_checks::collect_awaited() {
  awaited_.begin_round();
  for (auto& path : awaited_.entries()) {
    unchecked_.emplace_back(zookeeper::watch_kind::node);
    unchecked_paths_.push_back(std::move(path));
  }
  unlisted_ = awaited_.directories();
}

bool session_checks::in_use() const noexcept {
  return std::chrono::steady_clock::now() - last_use_ < client_.session_timeout() ||
         client_.locks().in_use();
}

// As many nodes as fit into a transaction, but at least a single node.
std::size_t session_checks::count_next() const noexcept {
  const auto most = std::min(unchecked_.size(), checks_at_once);
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < most; ++i) {
    bytes += unchecked_paths_[i].size() + zookeeper::part_bytes;
    if (i != 0 && bytes > client_.session().most_bytes()) return i;
  }
  return most;
}

void session_checks::write() {
  if (const auto count = count_next(); count != 0) {
    client_.session().send(zookeeper::check{.paths = std::span(unchecked_paths_).first(count)},
                           *this, {check_nodes, count});
  } else if (!unlisted_.empty()) {
    client_.session().send(zookeeper::list{.path = unlisted_.back()}, *this, {list_of_permits});
  } else if (answered_ < answers_a_round) {
    client_.session().send(zookeeper::confirm{}, *this, {confirm});
  } else {
    round_ = round::none;
    only_read_ = false;
  }
}

void session_checks::read() {
  if (answered_++ < answers_a_round)
    client_.session().send(
        zookeeper::exists{.path = client_.chroot().empty() ? "/" : client_.chroot()}, *this,
        {touch});
  else
    round_ = round::none;
}

void session_checks::on_reply(zookeeper::request_tag tag, const zookeeper::reply& reply) noexcept {
  refresh();
  client_.locks().look_again();
  switch (tag.what) {
  case check_nodes:
    answered_ += zookeeper::is_committed(reply);
    return nodes_checked(tag.which, reply);
  case list_of_permits:
    for (const auto name : reply.children) {
      unchecked_.emplace_back(zookeeper::watch_kind::children);
      unchecked_paths_.push_back(unlisted_.back() + '/' + std::string(name));
    }
    unlisted_.pop_back();
    return write();
  case confirm:
    if (!zookeeper::is_committed(reply)) return end_in_vain();
    ++answered_;
    return write();
  case touch:
    return read();
  default:
    if (!zookeeper::is_committed(reply)) return prove_later(refused_pause);
    proving_ = false;
    only_read_ = false;
    return prove();
  }
}

// The servers refuse writes: nothing is sent again before the next check.
void session_checks::end_in_vain() noexcept {
  round_ = round::none;
  unlisted_.clear();
  unchecked_.clear();
  unchecked_paths_.clear();
}

// The transaction fails at the first missing node: the nodes behind it are checked again.
void session_checks::nodes_checked(std::size_t count, const zookeeper::reply& reply) {
  if (reply.is_refused_whole && reply.result == zookeeper::status::failed) return end_in_vain();
  const bool all = reply.result == zookeeper::status::ok;
  const auto done = all ? count : std::min(reply.first_failed + 1, count);
  const auto failed = unchecked_[done - 1];
  const auto path = std::move(unchecked_paths_[done - 1]);
  const auto end = static_cast<std::ptrdiff_t>(done);
  unchecked_.erase(unchecked_.begin(), unchecked_.begin() + end);
  unchecked_paths_.erase(unchecked_paths_.begin(), unchecked_paths_.begin() + end);
  write();
  if (reply.result != zookeeper::status::no_node) return;
  if (const auto* const own = std::get_if<own_node>(&failed))
    client_.locks().missing(*own->lock, own->entry, own->node);
  else
    awaited_.missing(path, std::get<awaited_node>(failed));
}

void session_checks::when_proven(lock_driver& waiting) {
  unproven_.push_back(&waiting);
  prove();
}

// Each write waits for the reply to the write before, and for the time from which a further write
// is useful.
void session_checks::prove() {
  if (unproven_.empty() || proving_) return;
  if (proven()) {
    while (!unproven_.empty()) {
      lock_driver& each = *unproven_.back();
      unproven_.pop_back();
      each.confirmed();
    }
    return;
  }
  proving_ = true;
  const auto from = client_.session().useful_from();
  const auto now = boot_clock::now();
  if (from <= now) return client_.session().send(zookeeper::confirm{}, *this, {confirm_for_grant});
  prove_later(from - now);
}

void session_checks::prove_later(boot_clock::duration delay) {
  prove_timer_->expires_after(delay);
  client_.when_expired(*prove_timer_, [this] {
    if (client_.is_over()) return;
    proving_ = false;
    prove();
  });
}

void session_checks::stop() noexcept {
  end_in_vain();
  proving_ = false;
  unproven_.clear();
  check_timer_->cancel();
  prove_timer_->cancel();
}

void session_checks::forget(lock_driver& gone) noexcept {
  std::erase(unproven_, &gone);
}

void session_checks::abandon() noexcept {
  reset();
  check_timer_.reset();
  prove_timer_.reset();
}

} // namespace zklock::detail
