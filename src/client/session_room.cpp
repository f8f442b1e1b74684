#include "client/session_room.hpp"

#include <algorithm>
#include <string>

namespace zklock::detail {

void session_room::settle(queue::room_user& user) {
  if (budget_.update(user)) serve_later();
}

void session_room::release(std::size_t bytes) {
  core_.run([this, bytes] {
    budget_.put_back(bytes);
    if (budget_.is_any_waiting()) serve_later();
  });
}

void session_room::serve_later() {
  if (std::exchange(is_serving_, true)) return;
  core_.post([this] {
    budget_.serve();
    is_serving_ = false;
  });
}

// Locks that never fit together are refused: the first locks would be held for ever.
void session_room::reserve(std::size_t bytes, std::chrono::nanoseconds timeout, operation_type op) {
  const auto& options = core_.options();
  if (timeout < timeout.zero()) return op->post(errc::bad_timeout, nullptr);
  if (bytes == 0) return op->post({}, nullptr);
  if (bytes > options.max_path_bytes) {
    core_.log(log_level::error, "the locks of a multi_lock take " + std::to_string(bytes) +
                                    " bytes of node paths, max_path_bytes is " +
                                    std::to_string(options.max_path_bytes));
    return op->post(errc::budget_exhausted, nullptr);
  }
  if (reserve_now(bytes, op)) return;
  if (timeout == timeout.zero()) return op->post(errc::budget_exhausted, nullptr);
  claim& added = claims_.emplace_back(*this, bytes, op);
  settle(added);
  const auto now = client_timer::clock::now();
  if (timeout >= client_timer::clock::time_point::max() - now) return;
  added.timer.call_at(now + timeout, [this, op = std::move(op)] {
    give_up(op, session_.connected() ? errc::timed_out : session_.get().connect_error());
  });
}

void session_room::give_up(const operation_type& op, error_code why) {
  const auto found = std::find_if(claims_.begin(), claims_.end(),
                                  [&](const claim& each) { return each.op == op; });
  if (found == claims_.end()) return;
  claims_.erase(found);
  op->post(why, nullptr);
  // The claim may have been the first in line.
  if (budget_.is_any_waiting()) serve_later();
}

void session_room::end_all(error_code why) {
  for (const auto& each : claims_)
    each.op->post(why, nullptr);
  claims_.clear();
}

void session_room::drop_all() noexcept {
  for (const auto& each : std::exchange(claims_, {}))
    each.op->drop();
}

bool session_room::reserve_now(std::size_t bytes, const operation_type& op) {
  if (!budget_.take(bytes, queue::room_need::first)) return false;
  op->post({}, std::make_shared<reserved_room>(
                   std::shared_ptr<session_room>(core_.client().lock(), this), bytes));
  return true;
}

// The budget serves claims in their order.
void session_room::claim::refill() {
  if (in.reserve_now(bytes, op)) in.claims_.pop_front();
}

} // namespace zklock::detail
