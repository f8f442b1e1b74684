// What the events of the session mean to the locks.

#include "client/client_impl.hpp"
#include "client/client_locks.hpp"
#include "client/node_path.hpp"

#include <random>

namespace zklock::detail {

namespace {

queue::session_token draw_token(bool keeps) {
  std::random_device device;
  std::uniform_int_distribution<std::uint64_t> bits;
  // Without the four bits of the uuid's version.
  const queue::session_token drawn{bits(device) & ~std::uint64_t{0xf000}};
  return drawn.with(keeps);
}

} // namespace

void client_locks::connected(bool is_new) {
  if (is_new) token_ = draw_token(client_.options().lock_cache.has_value());
  for (const auto& [line, used] : table_)
    used->driver().connected();
}

void client_locks::disconnected() {
  watches_.clear();
  unused_.disconnected();
  for (const auto& [line, used] : table_)
    used->driver().disconnected();
}

void client_locks::expired(queue::reason why) {
  for (const auto& [line, used] : table_)
    used->driver().expired(why);
}

void client_locks::hurry_bodies() {
  for (const auto& [line, used] : table_)
    for (const auto& [id, c] : used->acquisitions())
      c->hurry_bodies();
}

void client_locks::watch_fired(std::string_view path, zookeeper::watch_event event) {
  watches_.fired(path, event);
  if (event != zookeeper::watch_event::children) {
    const bool deleted = event == zookeeper::watch_event::deleted;
    const auto slash = path.rfind('/');
    if (lock_in_use* const used = table_.find(path)) used->driver().directory_changed(deleted);
    if (lock_in_use* const used = table_.find(path.substr(0, slash)))
      used->driver().entry_changed(path.substr(slash + 1), deleted);
  }
  // By path: an event may make the client forget a lock.
  for (const auto& line : table_.watching(path))
    if (lock_in_use* const used = table_.find(line)) used->driver().watch_fired(path, event);
}

void client_locks::release_requested(const lock_definition& lock, std::string_view node) {
  if (lock_in_use* const used = table_.find(lock.line)) used->driver().release_requested(node);
}

void client_locks::node_gone(const lock_definition& lock, std::string_view node) {
  if (lock_in_use* const used = table_.find(lock.line)) used->driver().node_gone(node);
}

void client_locks::missing(const lock_definition& lock, queue::entry_id entry, queue::form node) {
  if (lock_in_use* const used = table_.find(lock.line)) used->driver().missing(entry, node);
}

// A lock is remembered as long as it has nodes, or may have.
bool client_locks::accounts_for(std::string_view node) const {
  const auto name = name_of(node);
  const auto parsed = queue::parse_entry_name(name);
  if (!queue::parse_permit(name, token_) && !(parsed && parsed->has_id && parsed->token == token_))
    return true;
  const auto directory = node.substr(0, node.size() - name.size() - 1);
  if (const lock_in_use* const used = table_.find(directory))
    return used->driver().accounts_for(node);
  for (const auto& line : table_.watching(directory))
    if (const lock_in_use* const used = table_.find(line); used->driver().accounts_for(node))
      return true;
  return false;
}

} // namespace zklock::detail
