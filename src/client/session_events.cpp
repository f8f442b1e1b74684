// The client's reactions to the events of its session.

#include "client/client_impl.hpp"

namespace zklock::detail {

namespace {

queue::reason reason_of(errc end) {
  return end == errc::data_rolled_back ? queue::reason::data_rolled_back
                                       : queue::reason::session_expired;
}

} // namespace

void client_impl::on_connected(bool is_new, std::chrono::milliseconds timeout) noexcept {
  const auto before = timeout_.exchange(timeout, std::memory_order_acq_rel);
  session_id_.store(session_->id(), std::memory_order_release);
  state_ = is_new ? connection_state::connected : connection_state::reconnected;
  if (!is_new) {
    counters_.reconnects.add();
    connection_check_.send();
  }
  checks_.refresh();
  // A shorter timeout moves `checks_.until()` back.
  if (timeout != before) locks_.hurry_bodies();
  locks_.connected(is_new);
  queries_.connected();
  sweep();
  checks_.start(!is_new);
  tell_state();
}

void client_impl::on_disconnected() noexcept {
  state_ = connection_state::suspended;
  checks_.stop();
  locks_.disconnected();
  queries_.disconnected();
  tell_state();
}

void client_impl::on_expired(errc why) noexcept {
  state_ = connection_state::lost;
  counters_.session_expiries.add();
  made_ephemerals_ = false;
  checks_.reset();
  locks_.expired(reason_of(why));
  session_id_ = 0;
  tell_state();
}

// Servers that refuse the credentials carry out nothing on that connection.
void client_impl::on_failed(errc why) noexcept {
  const bool did_nothing = why == errc::authentication_failed && !session_->answered();
  left_behind_ = session_->id() != 0 && owns_nodes() && !did_nothing;
  for (const auto& c : fail_all(why))
    c->forget(why);
  tell_state();
}

void client_impl::on_watch(std::string_view path, zookeeper::watch_event event) noexcept {
  checks_.refresh();
  locks_.watch_fired(path, event);
  queries_.watch_fired(path, event);
}

} // namespace zklock::detail
