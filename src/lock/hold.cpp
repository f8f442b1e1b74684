#include <zklock/hold.hpp>

#include "client/start_operation.hpp"

#include <boost/asio/system_executor.hpp>

#include <utility>

namespace zklock {

using detail::acquisition;

hold::hold(std::shared_ptr<acquisition> held) noexcept : acquisition_(std::move(held)) {}

hold& hold::operator=(hold&& other) noexcept {
  hold old(std::move(*this));
  acquisition_ = std::move(other.acquisition_);
  return *this;
}

hold::~hold() {
  if (!acquisition_) return;
  const auto client = acquisition_->client();
  client->give_back(std::move(acquisition_));
}

bool hold::owns_lock() const noexcept {
  return boot_clock::now() < valid_until();
}

hold_state hold::state() const noexcept {
  return acquisition_ ? acquisition_->state() : hold_state::empty;
}

boot_clock::time_point hold::valid_until() const noexcept {
  if (!acquisition_) return boot_clock::time_point::min();
  // The time is read first: a hold that still stands after that has not lost its session, so the
  // time is not that of the next session.
  const auto until = acquisition_->client()->proven_until();
  return acquisition_->current() == acquisition::phase::held ? until
                                                             : boot_clock::time_point::min();
}

std::chrono::steady_clock::time_point hold::held_since() const noexcept {
  return acquisition_ ? acquisition_->since : std::chrono::steady_clock::time_point::min();
}

fencing_token hold::token() const noexcept {
  return acquisition_ ? acquisition_->token() : fencing_token();
}

std::string hold::node() const {
  return acquisition_ ? acquisition_->node() : std::string();
}

boost::asio::any_io_executor hold::get_executor() const noexcept {
  if (!acquisition_) return boost::asio::system_executor();
  return acquisition_->client()->get_executor();
}

void hold::start_release(hold held, detail::handler<detail::plain_signature> handler) {
  if (detail::end_if_empty(!held.acquisition_, handler)) return;
  const auto client = held.acquisition_->client();
  // If this throws, the destructor of the hold gives it back.
  if (auto op = detail::make_operation(*client, std::move(handler), errc::closed))
    client->release(detail::hold_access::take(held), std::move(op));
}

void hold::start_downgrade(const std::shared_ptr<acquisition>& held,
                           detail::handler<detail::plain_signature> handler) {
  if (detail::end_if_empty(!held, handler)) return;
  const auto& client = held->client();
  if (auto op = detail::make_operation(*client, std::move(handler), held->why_over()))
    client->downgrade(held, std::move(op));
}

void hold::start_wait_lost(const std::shared_ptr<acquisition>& held,
                           detail::handler<detail::lost_signature> handler) {
  if (detail::end_if_empty(!held, handler)) return;
  const auto& client = held->client();
  if (auto op = detail::make_operation(*client, std::move(handler), {}, held->why_over()))
    client->wait_lost(held, std::move(op));
}

} // namespace zklock
