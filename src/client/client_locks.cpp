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

// The most locks that are unused or remembered. Each has a watch at the server.
constexpr std::size_t most_remembered = 1024;

// For how many session timeouts a lock is remembered that nothing uses: by then the servers have
// deleted its directory, as a rule, where that is a container.
constexpr int remembered_for = 4;

// The number of locks that a check of the session puts away at most, and that it forgets at most. A
// transaction deletes the directories of as many locks.
constexpr int locks_at_once = 64;

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
      remembered_(requester_),
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
  const auto kept = remembered_.take(lock->line);
  used.driver().resume(kept ? *kept : idle_lock{.made = unused_.take(lock->line)}, &remembered_);
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
  // An event makes a single lock unused at most.
  if (table_.unused() + remembered_.size() > most_remembered) forget_oldest();
  room_.settle(used.driver());
}

void client_locks::put_away_unused() {
  const auto now = std::chrono::steady_clock::now();
  for (int i = 0; i < locks_at_once; ++i) {
    lock_in_use* const unused = table_.unused_since(now - session_.timeout());
    if (!unused) break;
    remember(*unused);
  }
  const auto then = now - remembered_for * session_.timeout();
  for (int i = 0; i < locks_at_once && remembered_.is_any_unused_since(then); ++i)
    forget_oldest();
}

void client_locks::remember(lock_in_use& used) {
  lock_driver& driver = used.driver();
  requester_.forget(driver);
  remembered_.add(driver.lock()->line, driver.rest(&remembered_), used.idle().since);
  table_.remove(used);
}

void client_locks::forget(lock_in_use& used) {
  lock_driver& driver = used.driver();
  requester_.forget(driver);
  driver.release_watches();
  unused_.add(driver.lock()->line, driver.made());
  table_.remove(used);
}

void client_locks::forget_oldest() {
  if (remembered_.size() == 0) return forget(table_.oldest_unused());
  const auto [line, made] = remembered_.forget_oldest();
  unused_.add(line, made);
}

void client_locks::clear() noexcept {
  requester_.watches().clear();
  remembered_.clear();
  unused_.clear();
  table_.clear();
}

lock_table client_locks::abandon() noexcept {
  requester_.watches().clear();
  remembered_.clear();
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
  remembered_.disconnected();
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
    remembered_.directory_changed(path, deleted);
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
