#include "client/session_requester.hpp"

#include "client/lock_driver.hpp"

#include <random>
#include <variant>

namespace zklock::detail {

namespace {

// How long a write that confirms the session waits after a write that was refused.
constexpr std::chrono::milliseconds refused_pause{250};

queue::session_token draw_token(bool caches) {
  std::random_device device;
  std::uniform_int_distribution<std::uint64_t> bits;
  // Without the four bits of the uuid's version.
  const queue::session_token drawn{bits(device) & ~std::uint64_t{0xf000}};
  return drawn.with(caches);
}

} // namespace

session_requester::session_requester(client_core& core, client_session& session)
    : core_(core), session_(session), timer_(core) {}

void session_requester::begin_session() {
  token_ = draw_token(core_.options().lock_cache.has_value());
  only_read_ = false;
}

bool session_requester::has_created_lately() const noexcept {
  return std::chrono::steady_clock::now() - last_create_ < session_.timeout();
}

void session_requester::send(zookeeper::request what, zookeeper::receiver& to) {
  if (std::holds_alternative<zookeeper::create_entry>(what))
    last_create_ = std::chrono::steady_clock::now();
  session_.get().send(what, to, {});
}

void session_requester::remove_watch(const std::string& path, zookeeper::watch_kind kind) {
  session_.get().remove_watch(path, kind);
}

bool session_requester::containers() const noexcept {
  return core_.options().parents == parent_kind::container;
}

// An acquire of a body that could not begin would be repeated at once by an election, or by a
// program in a loop, until the session is proven for longer. Reads alone do not move
// `proven_until`: after a time without locks it may be about to pass, and a body that starts now
// would be cancelled before the next round of writes.
bool session_requester::proven() noexcept {
  session_.refresh();
  return !only_read_ && session_.may_begin_body();
}

void session_requester::when_proven(lock_driver& waiting) {
  unproven_.push_back(&waiting);
  prove();
}

void session_requester::on_reply(zookeeper::request_tag, const zookeeper::reply& reply) noexcept {
  session_.refresh();
  if (!zookeeper::is_committed(reply)) return prove_later(refused_pause);
  proving_ = false;
  only_read_ = false;
  prove();
}

// Each write waits for the reply to the write before, and for the time from which a further write
// is useful.
void session_requester::prove() {
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

void session_requester::prove_later(boot_clock::duration delay) {
  timer_.call_at(client_timer::clock::now() + delay, [this] {
    proving_ = false;
    prove();
  });
}

void session_requester::stop() noexcept {
  proving_ = false;
  unproven_.clear();
  timer_.cancel();
}

void session_requester::forget(lock_driver& gone) noexcept {
  std::erase(unproven_, &gone);
}

} // namespace zklock::detail
