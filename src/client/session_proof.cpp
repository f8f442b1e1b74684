#include "client/session_proof.hpp"

#include <chrono>
#include <vector>

namespace zklock::detail {

namespace {

// How long a write that confirms the session waits after a write that was refused.
constexpr std::chrono::milliseconds refused_pause{250};

} // namespace

session_proof::session_proof(client_core& core, client_session& session, proof_listener& to)
    : core_(core), session_(session), listener_(to), timer_(core.strand()) {}

// Reads alone do not move `proven_until`: after a time without locks it may be about to pass, and a
// body that starts now would be cancelled before the next round of writes.
bool session_proof::proven() noexcept {
  session_.refresh();
  return !only_read_ && boot_clock::now() < session_.proven_until();
}

void session_proof::when_proven(lock_driver& waiting) {
  unproven_.push_back(&waiting);
  prove();
}

void session_proof::on_reply(zookeeper::request_tag, const zookeeper::reply& reply) noexcept {
  session_.refresh();
  listener_.may_be_proven();
  if (!zookeeper::is_committed(reply)) return prove_later(refused_pause);
  proving_ = false;
  only_read_ = false;
  prove();
}

// Each write waits for the reply to the write before, and for the time from which a further write
// is useful.
void session_proof::prove() {
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
  const auto from = session_.get().useful_from();
  const auto now = boot_clock::now();
  if (from <= now) return session_.get().send(zookeeper::confirm{}, *this, {});
  prove_later(from - now);
}

void session_proof::prove_later(boot_clock::duration delay) {
  timer_->expires_after(delay);
  core_.when_expired(*timer_, [this] {
    proving_ = false;
    prove();
  });
}

void session_proof::stop() noexcept {
  proving_ = false;
  unproven_.clear();
  timer_->cancel();
}

void session_proof::forget(lock_driver& gone) noexcept {
  std::erase(unproven_, &gone);
}

} // namespace zklock::detail
