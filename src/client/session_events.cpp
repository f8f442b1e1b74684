// The client's reactions to the events of its session.

#include "client/client_impl.hpp"

namespace zklock::detail {

void client_impl::on_connected(bool is_new, std::chrono::milliseconds timeout) noexcept {
  timeout_.store(timeout, std::memory_order_release);
  session_id_.store(session_->id(), std::memory_order_release);
  connected_ = true;
  if (!is_new) connection_check_.send();
  checks_.refresh();
  locks_.connected(is_new);
  queries_.connected();
  sweep();
  checks_.start(!is_new);
}

void client_impl::on_disconnected() noexcept {
  connected_ = false;
  checks_.stop();
  locks_.disconnected();
  queries_.disconnected();
}

void client_impl::on_expired() noexcept {
  made_ephemerals_ = false;
  checks_.reset();
  session_id_ = 0;
  locks_.expired();
}

void client_impl::on_failed(errc why) noexcept {
  left_behind_ = session_->id() != 0 && owns_nodes();
  for (const auto& c : fail_all(why))
    c->forget(why);
}

void client_impl::on_watch(std::string_view path, zookeeper::watch_event event) noexcept {
  checks_.refresh();
  locks_.watch_fired(path, event);
  queries_.watch_fired(path, event);
}

} // namespace zklock::detail
