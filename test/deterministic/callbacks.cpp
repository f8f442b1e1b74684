#include "callbacks.hpp"

#include "host.hpp"
#include "life.hpp"
#include "server_side.hpp"

#include <utility>

namespace deterministic {

callbacks::callbacks(world& world, host& of, std::size_t client, bool keeps) noexcept
    : world_(world), host_(of), life_(of.life()), client_(client), keeps_(keeps) {}

void callbacks::state_changed(zklock::connection_state now) {
  life_->called("state_changed");
  if (is_closed_) world_.violated(text(host_.name(), '.', client_, " changes after it was closed"));
  is_closed_ = now == zklock::connection_state::closed;
  if (now == zklock::connection_state::reconnected) world_.statistics.count(seen::reconnected);
  if (now == zklock::connection_state::lost) world_.statistics.count(seen::session_expired);
  perhaps_destroy();
}

std::shared_ptr<void> callbacks::acquire_started(const zklock::observed_acquire& what) {
  std::string path(what.path);
  if (host_.has_chroot(client_)) path.insert(0, world_.design.root);
  return std::make_shared<acquire_span>(acquire_span{std::move(path)});
}

// Each acquire starts, ends with or without the lock, and a hold ends once.
void callbacks::go_on(const std::shared_ptr<void>& span, stage from, stage to) {
  life_->called("an observer");
  auto& now = static_cast<acquire_span*>(span.get())->now;
  if (now != from) world_.violated(text(host_.name(), ": an observer is called out of order"));
  now = to;
  perhaps_destroy();
}

// The tokens of a client's grants must rise, unless the program was told of older data.
void callbacks::check_order(const std::string& lock, zklock::fencing_token token) {
  if (!is_of_mutex(lock)) return;
  if (std::exchange(told_, host_.older_data_told(client_)) != host_.older_data_told(client_))
    newest_.clear();
  auto& newest = newest_[lock];
  if (token <= newest)
    world_.violated(text(host_.name(), '.', client_, " is granted ", lock, " with token ", token,
                         " after ", newest, ", and was not told of older data"));
  newest = token;
}

void callbacks::granted(const std::shared_ptr<void>& span, zklock::fencing_token token) {
  check_order(static_cast<const acquire_span*>(span.get())->path, token);
  world_.foreign_waiters.granted(static_cast<const acquire_span*>(span.get())->path, token,
                                 world_.clock().now());
  if (host_.has_chroot(client_)) world_.statistics.count(seen::grant_in_chroot);
  if (token.turn() != 0 && world_.design.local_handoffs == 0 && !keeps_)
    world_.violated(text(host_.name(), " hands a lock over"));
  if (host_.is_stranger()) world_.violated(text(host_.name(), " is granted a lock of others"));
  go_on(span, stage::waiting, stage::holding);
}

void callbacks::reentered(const std::shared_ptr<void>& span) {
  world_.statistics.count(seen::reentered);
  go_on(span, stage::waiting, stage::ended);
}

void callbacks::not_granted(const std::shared_ptr<void>& span, zklock::error_code) {
  go_on(span, stage::waiting, stage::ended);
}

void callbacks::lost(const std::shared_ptr<void>& span, zklock::error_code why) {
  if (why == zklock::errc::session_expired) world_.statistics.count(seen::lost_to_expiry);
  if (why == zklock::errc::data_rolled_back) world_.statistics.count(seen::lost_to_older_data);
  if (why == zklock::errc::entry_deleted) world_.statistics.count(seen::lost_to_deletion);
  if (why == zklock::errc::hold_limit_reached) world_.statistics.count(seen::lost_to_limit);
  go_on(span, stage::holding, stage::ended);
}

void callbacks::released(const std::shared_ptr<void>& span) {
  go_on(span, stage::holding, stage::ended);
}

void callbacks::perhaps_destroy() {
  if (world_.healed || world_.random.below(1000) >= world_.design.destroys_in_callback) return;
  if (!host_.is_running()) return;
  world_.statistics.count(seen::client_destroyed_in_a_callback);
  host_.destroy_client(client_);
}

} // namespace deterministic
