#include "client/client_locks.hpp"

#include "client/client_impl.hpp"
#include "client/node_path.hpp"
#include "client/transaction_size.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <chrono>
#include <random>
#include <utility>
#include <variant>

namespace zklock::detail {

namespace {

// How long a delete that was refused waits: often enough for the waiters of a lock, and no burden
// for throttled servers.
constexpr std::chrono::milliseconds pause{500};

// For how many session timeouts a lock is remembered that nothing uses: by then the servers have
// deleted its directory, as a rule, where that is a container.
constexpr int remembered_for = 4;

// The number of locks whose directories are deleted in one transaction.
constexpr int forgotten_at_once = 64;

queue::session_token draw_token(bool keeps) {
  std::random_device device;
  std::uniform_int_distribution<std::uint64_t> bits;
  // Without the four bits of the uuid's version.
  const queue::session_token drawn{bits(device) & ~std::uint64_t{0xf000}};
  return drawn.with(keeps);
}

} // namespace

client_locks::client_locks(client_impl& client)
    : client_(client),
      budget_(client.options().owned_bytes),
      unused_(client),
      cached_(client),
      claims_(client, budget_),
      again_timer_(client.strand()) {}

lock_in_use* client_locks::use(const std::shared_ptr<const lock_definition>& lock) {
  lock_in_use* const known = table_.find(lock->line);
  if (known && known->is_for(*lock)) return known;
  // A lock of another kind whose entries had the same directory.
  const bool is_late = known && known->driver().state().has_late_writes();
  if (!make_way(*lock)) return nullptr;
  const auto& options = client_.options();
  const queue::settings settings{.window = options.window,
                                 .entry_bytes = entry_bytes_of(*lock, options),
                                 .local_handoffs = options.local_handoffs,
                                 .cache = options.lock_cache.has_value(),
                                 .policy = policy_of(lock->kind),
                                 .most_permits = most_permits_of(*lock, options),
                                 .limit = lock->limit};
  auto made = std::make_unique<lock_in_use>(client_, lock, settings, budget_, &memory_);
  lock_in_use& used = table_.add(std::move(made));
  used.driver().inherit(unused_.take(lock->line));
  if (is_late) used.driver().expect_late_writes();
  // `connected` has done this for the locks that were known then.
  if (client_.connected()) used.driver().connected();
  return &used;
}

// Forgets the locks that are in the way and that nothing uses. Returns whether none is left. As
// long as a lock is known no other one that conflicts with it becomes known, so this is asked once.
bool client_locks::make_way(const lock_definition& lock) {
  while (lock_in_use* const other = table_.find_conflict(lock)) {
    if (!other->driver().idle()) return false;
    forget(*other);
  }
  return true;
}

// Evicts what is in the way, if it is only cached. Returns whether the way will be clear: `settle`
// is called then.
bool client_locks::clear_way(const lock_definition& lock) {
  lock_in_use* const other = table_.find_conflict(lock);
  if (!client_.options().lock_cache || !other) return false;
  if (!other->acquisitions().empty()) return false;
  if (other->driver().state().cached() != 0) other->driver().drop_cached();
  return true;
}

void client_locks::refuse_all(lock_line& line, error_code why) {
  // A try is among the first of these, other acquisitions among the second.
  for (const auto& some : {line.look(), line.without_ticket()})
    for (const auto& c : some)
      if (line.take_out(*c)) static_cast<acquisition&>(*c).refuse(why);
}

void client_locks::look(const std::shared_ptr<const lock_definition>& lock) {
  lock_line& line = *lock->acquisitions;
  if (const auto why = client_.why_over()) return refuse_all(line, *why);
  if (lock_in_use* const used = use(lock)) {
    if (used->look()) look_again_at(lock);
  } else if (clear_way(*lock)) {
    look_again_at(lock);
  } else {
    refuse_all(line, errc::lock_type_mismatch);
  }
}

void client_locks::look_again_at(const std::shared_ptr<const lock_definition>& lock) {
  client_.deadlines().watch(again_.emplace_back(lock));
}

// Posted, since it is called inside events of locks.
void client_locks::look_again() {
  if (again_.empty() || std::exchange(looking_again_, true)) return;
  asio::post(client_.strand(), [client = client_.shared_from_this(), this] {
    looking_again_ = false;
    if (client->gone()) return;
    for (const auto& each : std::exchange(again_, {}))
      look(each.lock());
  });
}

void client_locks::watch_deadlines(const lock_definition& lock) {
  lock_in_use* const used = table_.find(lock.line);
  if (used && used->driver().lock().get() == &lock) used->watch_deadlines();
  for (auto& each : again_)
    if (each.lock().get() == &lock) client_.deadlines().watch(each);
}

bool client_locks::in_line(const acquisition& c) const noexcept {
  const lock_in_use* const used = find(c);
  return used && used->in_line(c);
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
  look_again();
  if (used.driver().state().has_refused()) try_again_later();
  cached_.update(used);
  idle_.update(used);
  if (lock_in_use* const surplus = idle_.surplus()) forget(*surplus);
  settle(static_cast<queue::room_user&>(used.driver()));
}

void client_locks::forget_unused() {
  const auto then = std::chrono::steady_clock::now() - remembered_for * client_.session_timeout();
  for (int i = 0; i < forgotten_at_once; ++i) {
    lock_in_use* const unused = idle_.unused_since(then);
    if (!unused) return;
    forget(*unused);
  }
}

void client_locks::settle(queue::room_user& user) {
  if (budget_.update(user)) serve_later();
}

void client_locks::reserve(const std::vector<lock_request>& wanted, std::uint64_t owner,
                           std::chrono::nanoseconds timeout, room_claims::operation_type op) {
  std::size_t bytes = 0;
  for (const auto& each : wanted) {
    const lock_in_use* const used = owner == 0 ? nullptr : table_.find(each.path->line);
    if (!used || !used->is_held_by(owner))
      bytes += mode_of(each).permits * entry_bytes_of(*each.path, client_.options());
  }
  claims_.add(bytes, timeout, std::move(op));
}

void client_locks::give_back_room(std::size_t bytes) {
  budget_.give_back(bytes);
  if (budget_.is_any_waiting()) serve_later();
}

void client_locks::forget(lock_in_use& used) {
  idle_.remove(used);
  client_.checks().forget(used.driver());
  watches_.release(&used.driver(), *this);
  unused_.add(used.driver().lock(), used.driver().made());
  table_.remove(used);
}

void client_locks::serve_later() {
  if (std::exchange(serving_, true)) return;
  asio::post(client_.strand(), [client = client_.shared_from_this(), this] {
    budget_.serve();
    serving_ = false;
  });
}

void client_locks::try_again_later() {
  if (std::exchange(trying_again_, true)) return;
  again_timer_->expires_after(pause);
  client_.when_expired(*again_timer_, [this] {
    if (client_.is_over()) return;
    trying_again_ = false;
    try_again();
  });
}

// A lock with a node to delete is in use: it is not forgotten while others are.
void client_locks::try_again() {
  std::vector<lock_in_use*> concerned;
  for (const auto& [line, used] : table_)
    if (used->driver().state().has_refused()) concerned.push_back(used.get());
  for (lock_in_use* const used : concerned)
    used->driver().try_again();
}

std::vector<std::shared_ptr<acquisition>> client_locks::end_all(errc why) {
  std::vector<std::shared_ptr<acquisition>> open;
  for (const auto& [line, used] : table_)
    for (auto& c : used->take_all())
      open.push_back(std::move(c));
  for (const auto& c : open) {
    if (c->current() == acquisition::phase::waiting) c->refuse(why);
    if (c->current() == acquisition::phase::held) c->lose(why);
  }
  for (const auto& each : std::exchange(again_, {}))
    refuse_all(each.line(), why);
  watches_.clear();
  unused_.clear();
  idle_.clear();
  cached_.end(why);
  claims_.end_all(why);
  table_.clear();
  again_timer_->cancel();
  return open;
}

lock_table client_locks::abandon() noexcept {
  idle_.clear();
  cached_.abandon();
  watches_.clear();
  unused_.clear();
  again_timer_.reset();
  return std::exchange(table_, {});
}

// With an entry the lock is in use.
void client_locks::send(zookeeper::request what, zookeeper::receiver& to) {
  if (std::holds_alternative<zookeeper::create_entry>(what)) client_.checks().note_use();
  client_.session().send(what, to, {});
}

void client_locks::remove_watch(const std::string& path, zookeeper::watch_kind kind) {
  client_.session().remove_watch(path, kind);
}

bool client_locks::proven() noexcept {
  return client_.checks().proven();
}

void client_locks::when_proven(lock_driver& waiting) {
  client_.checks().when_proven(waiting);
}

const std::string& client_locks::identity() const noexcept {
  return client_.options().identity;
}

bool client_locks::containers() const noexcept {
  return client_.options().parents == parent_kind::container;
}

std::int64_t client_locks::ephemeral_owner() const noexcept {
  return client_.session_id();
}

void client_locks::log_error(const std::string& line) {
  client_.log(log_level::error, line);
}

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
    for (const auto& c : used->acquisitions())
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
