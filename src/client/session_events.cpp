// The client's reactions to the events of its session.

#include "client/client_impl.hpp"

#include <random>

namespace zklock::detail {

namespace {

queue::session_token draw_token() {
  std::random_device device;
  std::uniform_int_distribution<std::uint64_t> bits;
  // Without the four bits of the uuid's version.
  return {bits(device) & ~std::uint64_t{0xf000}};
}

} // namespace

void client_impl::on_connected(bool is_new, std::chrono::milliseconds timeout) noexcept {
  timeout_.store(timeout, std::memory_order_release);
  session_id_.store(session_->id(), std::memory_order_release);
  connected_ = true;
  if (is_new)
    token_ = draw_token();
  else
    connection_check_.send();
  checks_.refresh();
  for (const auto& [path, place] : locks_)
    place->driver().connected();
  queries_.connected();
  sweep();
  checks_.start(!is_new);
}

void client_impl::on_disconnected() noexcept {
  connected_ = false;
  checks_.stop();
  watches_.clear();
  unused_.disconnected();
  for (const auto& [path, place] : locks_)
    place->driver().disconnected();
  queries_.disconnected();
}

void client_impl::on_expired() noexcept {
  made_ephemerals_ = false;
  checks_.reset();
  session_id_ = 0;
  for (const auto& [path, place] : locks_)
    place->driver().expired();
}

void client_impl::on_failed(errc why) noexcept {
  left_behind_ = session_->id() != 0 && owns_nodes();
  for (const auto& c : fail_all(why))
    c->forget(why);
}

void client_impl::on_watch(std::string_view path, zookeeper::watch_event event) noexcept {
  checks_.refresh();
  watches_.fired(path, event);
  if (event != zookeeper::watch_event::children) {
    const bool deleted = event == zookeeper::watch_event::deleted;
    const auto slash = path.rfind('/');
    if (lock_in_use* const place = locks_.find(path)) place->driver().directory_changed(deleted);
    if (lock_in_use* const place = locks_.find(path.substr(0, slash)))
      place->driver().entry_changed(path.substr(slash + 1), deleted);
  }
  // By path: an event may make the client forget a lock.
  for (const auto& line : locks_.watching(path))
    if (lock_in_use* const place = locks_.find(line)) place->driver().watch_fired(path, event);
  queries_.watch_fired(path, event);
}

void client_impl::node_gone(const lock_definition& lock, std::string_view node) {
  if (lock_in_use* const place = locks_.find(lock.line)) place->driver().node_gone(node);
}

// The lock may be forgotten, or another one, by now.
void client_impl::missing(const lock_definition& lock, queue::entry_id entry, queue::form node) {
  if (lock_in_use* const place = locks_.find(lock.line)) place->driver().missing(entry, node);
}

} // namespace zklock::detail
