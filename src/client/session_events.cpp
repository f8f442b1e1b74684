// What a client does when something happens to its session.

#include "client/client_state.hpp"

#include <random>

namespace zklock::detail {

namespace {

queue::session_token draw_token() {
  std::random_device device;
  std::uniform_int_distribution<std::uint64_t> bits;
  // Without the four bits that the uuid's version takes.
  return {bits(device) & ~std::uint64_t{0xf000}};
}

} // namespace

void client_state::on_connected(bool is_new, std::chrono::milliseconds timeout) noexcept {
  timeout_.store(timeout, std::memory_order_release);
  session_id_.store(session_->id(), std::memory_order_release);
  connected_ = true;
  if (is_new)
    token_ = draw_token();
  else
    connection_check_.send();
  refresh_proof();
  for (const auto& [path, place] : directories_)
    place->connected();
  queries_.connected();
  sweep();
  // A new session is proven. With an old one what is held may be in doubt by now: ask at once.
  if (!is_new && in_use())
    check();
  else
    wait_for_check();
}

void client_state::on_disconnected() noexcept {
  connected_ = false;
  stop_checking();
  watches_.clear();
  unused_.disconnected();
  for (const auto& [path, place] : directories_)
    place->disconnected();
  queries_.disconnected();
}

void client_state::on_expired() noexcept {
  made_ephemerals_ = false;
  proof_.reset();
  session_id_ = 0;
  for (const auto& [path, place] : directories_)
    place->expired();
}

void client_state::on_failed(errc why) noexcept {
  left_behind_ = session_->id() != 0 && owns_nodes();
  for (const auto& c : fail_all(why))
    c->forget(why);
}

void client_state::on_watch(std::string_view path, zookeeper::watch_event event) noexcept {
  refresh_proof();
  watches_.fired(path, event);
  if (event != zookeeper::watch_event::children) {
    const bool deleted = event == zookeeper::watch_event::deleted;
    const auto slash = path.rfind('/');
    if (const auto it = directories_.find(path); it != directories_.end())
      it->second->directory_changed(deleted);
    if (const auto it = directories_.find(path.substr(0, slash)); it != directories_.end())
      it->second->entry_changed(path.substr(slash + 1), deleted);
  }
  std::vector<std::string> lines;
  for (auto [it, end] = watched_.equal_range(path); it != end; ++it)
    lines.push_back(it->second->path());
  // One that nobody uses may be forgotten on the way.
  for (const auto& line : lines)
    if (const auto it = directories_.find(line); it != directories_.end())
      it->second->watch_fired(path, event);
  queries_.watch_fired(path, event);
}

void client_state::node_gone(const lock_definition& lock, std::string_view node) {
  const auto it = directories_.find(lock.line);
  if (it != directories_.end()) it->second->node_gone(node);
}

} // namespace zklock::detail
