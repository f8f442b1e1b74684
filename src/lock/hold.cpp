#include <zklock/hold.hpp>

#include "client/lock_calls.hpp"
#include "client/start_operation.hpp"
#include "inspect/queries.hpp"
#include "lock/commit.hpp"

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
  if (!acquisition_ || !acquisition_->release().mark()) return;
  const auto client = acquisition_->client();
  client->release(std::move(acquisition_));
}

acquisition* hold::held() const noexcept {
  return acquisition_ && !acquisition_->release().is_marked() ? &acquisition_->holder() : nullptr;
}

bool hold::owns_lock() const noexcept {
  return boot_clock::now() < valid_until();
}

hold_state hold::state() const noexcept {
  const auto* const c = held();
  return c ? c->state() : hold_state::empty;
}

boot_clock::time_point hold::valid_until() const noexcept {
  const auto* const c = held();
  if (!c) return boot_clock::time_point::min();
  // The time is read first: a hold that still stands after that has not lost its session, so the
  // time belongs to the session of the hold.
  const auto until = c->session().proven_until();
  return c->current() == acquisition::phase::held ? until : boot_clock::time_point::min();
}

std::chrono::steady_clock::time_point hold::held_since() const noexcept {
  const auto* const c = held();
  return c ? c->since : std::chrono::steady_clock::time_point::min();
}

fencing_token hold::token() const noexcept {
  const auto* const c = held();
  return c ? c->entry().token() : fencing_token();
}

std::string hold::node() const {
  const auto* const c = held();
  return c ? c->node() : std::string();
}

std::stop_token hold::get_stop_token() const {
  return held() ? acquisition_->client()->stop_token(acquisition_) : std::stop_token();
}

std::string hold::path() const {
  const auto* const c = held();
  return c ? c->path()->given : std::string();
}

participant_role hold::role() const noexcept {
  const auto* const c = held();
  return c ? role_of(*c->path(), c->entry().role()) : participant_role::exclusive;
}

boost::asio::any_io_executor hold::get_executor() const noexcept {
  const auto* const c = held();
  if (!c) return boost::asio::system_executor();
  return c->core().executor();
}

void hold::start_release(const std::shared_ptr<acquisition>& own,
                         detail::handler<detail::plain_signature> handler) {
  if (detail::end_if_empty(own.get(), handler)) return;
  auto& client = *own->client();
  bool started = false;
  const auto release = [&](const auto& op) {
    started = true;
    own->release().mark();
    client.release(own, op);
  };
  detail::start_operation(client.core(), std::move(handler), release, errc::closed);
  if (!started && own->release().mark()) client.release(own);
}

void hold::start_downgrade(const std::shared_ptr<acquisition>& own,
                           detail::handler<detail::plain_signature> handler) {
  if (detail::end_if_empty(own.get(), handler)) return;
  const auto held = own->holder().shared_from_this();
  detail::start_operation(
      held->core(), std::move(handler),
      [&](const auto& op) { held->client()->downgrade(held, op); }, held->why_over());
}

void hold::start_set_identity(const std::shared_ptr<acquisition>& own, const std::string& identity,
                              detail::handler<detail::plain_signature> handler) {
  if (detail::end_if_empty(own.get(), handler)) return;
  const auto held = own->holder().shared_from_this();
  detail::start_operation(
      held->core(), std::move(handler),
      [&](const auto& op) { held->client()->set_identity(held, identity, op); }, held->why_over());
}

void hold::start_wait_lost(const std::shared_ptr<acquisition>& own,
                           detail::handler<detail::lost_signature> handler) {
  if (detail::end_if_empty(own.get(), handler)) return;
  const auto held = own->holder().shared_from_this();
  detail::start_operation(
      held->core(), std::move(handler),
      [&](const auto& op) { held->client()->wait_lost(held, op); }, {}, held->why_over());
}

void hold::start_wait_release_requested(const std::shared_ptr<acquisition>& own,
                                        detail::handler<detail::request_signature> handler) {
  if (detail::end_if_empty(own.get(), handler)) return;
  detail::start_release_watch(*own, std::move(handler));
}

void hold::start_commit(const std::shared_ptr<acquisition>& own, const transaction& writes,
                        detail::handler<detail::commit_signature> handler) {
  if (detail::end_if_empty(own.get(), handler)) return;
  detail::start_commit(*own, writes, std::move(handler));
}

} // namespace zklock
