#include "client/room_claims.hpp"

#include "client/client_impl.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace zklock::detail {

reserved_room::reserved_room(std::shared_ptr<client_impl> client, queue::reservation_id id) noexcept
    : client_(std::move(client)), id_(id) {}

reserved_room::~reserved_room() {
  client_->locks().claims().note_let_go();
  client_->run([&client = *client_] { client.locks().look_for_room(); });
}

// Where there is never room for all of them, the first ones would be held for ever.
void room_claims::add(std::size_t bytes, std::chrono::nanoseconds timeout, operation_type op) {
  const auto& options = client_.options();
  if (timeout < timeout.zero()) return op->post(errc::bad_timeout, nullptr);
  if (bytes == 0) return op->post({}, nullptr);
  if (bytes > options.owned_bytes) {
    client_.log(log_level::error, "the locks of a multi_lock take " + std::to_string(bytes) +
                                      " bytes of node paths, owned_bytes is " +
                                      std::to_string(options.owned_bytes));
    return op->post(errc::budget_exhausted, nullptr);
  }
  look();
  if (reserve(bytes, op)) return;
  if (timeout == timeout.zero()) return op->post(errc::budget_exhausted, nullptr);
  claim& added = claims_.emplace_back(*this, bytes, std::move(op));
  if (timeout != timeout.max()) added.expire_after(timeout);
  client_.locks().settle(added);
}

void room_claims::give_up(const operation_type& op, error_code why) {
  const auto found = std::find_if(claims_.begin(), claims_.end(),
                                  [&](const claim& each) { return each.is_of(op); });
  if (found == claims_.end()) return;
  const auto ended = found->end();
  client_.locks().settle(*found);
  claims_.erase(found);
  ended->post(why, nullptr);
}

void room_claims::look() {
  if (!any_let_go_.load(std::memory_order_relaxed) || !any_let_go_.exchange(false)) return;
  std::erase_if(reserved_, [this](const reservation& each) {
    const bool ends = each.room.expired();
    if (ends) budget_.end(each.id);
    return ends;
  });
}

void room_claims::end_all(error_code why) {
  for (auto& each : claims_)
    if (const auto op = each.end()) op->post(why, nullptr);
  claims_.clear();
  reserved_.clear();
}

void room_claims::abandon() noexcept {
  for (auto& each : claims_)
    each.abandon();
}

void room_claims::drop_all() noexcept {
  auto left = std::exchange(claims_, {});
  for (auto& each : left)
    if (const auto op = each.end()) op->drop();
}

bool room_claims::reserve(std::size_t bytes, const operation_type& op) {
  const auto id = budget_.reserve(bytes);
  if (id == 0) return false;
  auto room = std::make_shared<reserved_room>(client_.shared_from_this(), id);
  reserved_.push_back({id, room});
  op->post({}, std::move(room));
  return true;
}

// Not while the line is being served: it refers to them.
void room_claims::served() {
  if (std::exchange(any_ended_, false))
    claims_.remove_if([](const claim& each) { return !each.starved(); });
}

void room_claims::claim::expire_after(std::chrono::nanoseconds timeout) {
  timer_.emplace(in_.client_.strand());
  timer_->expires_after(timeout);
  in_.client_.when_expired(*timer_, [&client = in_.client_, &in = in_, op = op_] {
    in.give_up(op,
               client.connected() ? error_code(errc::timed_out) : client.session().connect_error());
  });
}

room_claims::operation_type room_claims::claim::end() noexcept {
  timer_.reset();
  in_.any_ended_ = true;
  return std::exchange(op_, nullptr);
}

void room_claims::claim::refill() {
  if (in_.reserve(bytes_, op_)) end();
  in_.line_.settle(*this);
}

} // namespace zklock::detail
