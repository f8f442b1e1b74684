#include "client/client_locks.hpp"

#include "client/node_path.hpp"
#include "client/transaction_size.hpp"
#include "queue/entry_name.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace zklock::detail {

namespace {

// For how many session timeouts a lock is remembered that nothing uses: by then the servers have
// deleted its directory, as a rule, where that is a container.
constexpr int remembered_for = 4;

// The number of locks whose directories are deleted in one transaction.
constexpr int forgotten_at_once = 64;

std::string label_of(const client_core& core, const lock_definition& lock) {
  std::string label;
  if (const auto& function = core.options().label)
    call_user(core.executor(), [&] { label = function(lock.given); });
  return label;
}

} // namespace

client_locks::client_locks(client_core& core, client_session& session, client_counters& counters,
                           lock_surroundings& around)
    : core_(core),
      session_(session),
      counters_(counters),
      around_(around),
      requester_(core, session),
      room_(core, session),
      unused_(session) {}

lock_in_use* client_locks::use(const std::shared_ptr<const lock_definition>& lock) {
  lock_in_use* const known = table_.find(lock->line);
  if (known && known->is_for(*lock)) return known;
  // A lock of another kind whose entries had the same directory.
  const bool is_late = known && known->driver().state().has_late_writes();
  if (!make_way(*lock)) return nullptr;
  const auto& options = core_.options();
  const queue::settings settings{.max_entries = options.max_entries_per_lock,
                                 .entry_bytes = entry_bytes_of(*lock, options),
                                 .local_handoffs = options.local_handoffs,
                                 .cache = options.lock_cache.has_value(),
                                 .policy = policy_of(lock->kind),
                                 .most_permits = most_permits_of(*lock, options),
                                 .limit = lock->limit};
  lock_in_use& used = table_.add(
      std::make_unique<lock_in_use>(around_, requester_, counters_.labelled(label_of(core_, *lock)),
                                    lock, settings, room_.budget()));
  used.driver().inherit(unused_.take(lock->line));
  if (is_late) used.driver().between_events().expect_late_writes();
  // `connected` has done this for the locks that were known then.
  if (session_.connected()) used.driver().connected();
  return &used;
}

// Forgets the unused locks that are in the way. Returns whether none is left. As long as a lock is
// known no lock that conflicts with it becomes known, so this is asked once.
bool client_locks::make_way(const lock_definition& lock) {
  while (lock_in_use* const other = table_.find_conflict(lock)) {
    if (!other->driver().idle()) return false;
    forget(*other);
  }
  return true;
}

bool client_locks::in_use() const noexcept {
  return std::any_of(table_.begin(), table_.end(),
                     [](const auto& each) { return !each.second->driver().idle(); });
}

bool client_locks::own_nodes() const noexcept {
  return std::any_of(table_.begin(), table_.end(), [](const auto& each) {
    return !each.second->driver().state().entries().empty();
  });
}

void client_locks::settle(lock_in_use& used) {
  table_.note_use(used);
  if (lock_in_use* const surplus = table_.surplus()) forget(*surplus);
  room_.settle(used.driver());
}

void client_locks::forget_unused() {
  const auto then = std::chrono::steady_clock::now() - remembered_for * session_.timeout();
  for (int i = 0; i < forgotten_at_once; ++i) {
    lock_in_use* const unused = table_.unused_since(then);
    if (!unused) return;
    forget(*unused);
  }
}

void client_locks::forget(lock_in_use& used) {
  requester_.forget(used.driver());
  requester_.watches().release(&used.driver(), requester_);
  unused_.add(used.driver().lock(), used.driver().made());
  table_.remove(used);
}

void client_locks::clear() noexcept {
  requester_.watches().clear();
  unused_.clear();
  table_.clear();
}

lock_table client_locks::abandon() noexcept {
  requester_.watches().clear();
  unused_.clear();
  return std::exchange(table_, {});
}

void client_locks::connected(bool is_new) {
  if (is_new) requester_.begin_session();
  for (const auto& [line, used] : table_)
    used->driver().connected();
}

void client_locks::disconnected() {
  requester_.watches().clear();
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
    for (const auto& c : used->acquisitions())
      c->waits().hurry_bodies();
}

void client_locks::watch_fired(std::string_view path, zookeeper::watch_event event) {
  requester_.watches().fired(path, event);
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

// A lock is remembered as long as it has nodes, or may have.
bool client_locks::accounts_for(std::string_view node) const {
  const auto name = name_of(node);
  const auto parsed = queue::parse_entry_name(name);
  const auto token = requester_.token();
  if (!queue::parse_permit(name, token) && !(parsed && parsed->has_id && parsed->token == token))
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
