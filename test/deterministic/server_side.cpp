#include "server_side.hpp"

#include "testing/memory/access_control.hpp"

#include <algorithm>
#include <iterator>

namespace deterministic {

using namespace std::chrono_literals;
namespace memory = servers::memory;

namespace {

// The flag of a create.
constexpr std::int32_t sequential = 2;

} // namespace

server_side::server_side(world& world, kernel& kernel, std::uint64_t seed, bool printed)
    : world_(world),
      kernel_(kernel),
      addresses_{address_of_server(0), address_of_server(1), address_of_server(2)},
      ensemble_(kernel.time(), seed,
                {.container_period = world.design.container_period,
                 .first_number = world.design.first_number,
                 .replaces_sessions = world.design.servers_replace_sessions},
                observe(printed)),
      is_up_(addresses_.size(), true) {
  heal_names();
  world.has_node = [this](std::string_view path) { return ensemble_.newest().tree.find(path); };
  world.data_of = [this](std::string_view path) {
    const auto* const node = ensemble_.newest().tree.find(path);
    return node == nullptr ? std::nullopt : std::optional(node->data);
  };
  world.referee.use_nodes([this](std::string_view path) {
    const auto* const node = ensemble_.newest().tree.find(path);
    return node == nullptr ? 0 : node->czxid;
  });
  world.is_kept = [this](std::string_view path) { return ensemble_.keeps(path); };
  // A client that owns nothing may close without a connection, and so before it notices the nodes
  // that a backup has of its session.
  world.has_nodes_of = [this](std::int64_t session) {
    return !was_restored_ && !ensemble_.newest().tree.ephemerals(session).empty();
  };
  for (std::size_t i = 0; i < addresses_.size() && world.fixed.speaks_tls; ++i)
    secured_.emplace_back(ensemble_.at(static_cast<int>(i)), static_cast<unsigned>(seed + i));
  for (std::size_t i = 0; i < addresses_.size(); ++i) {
    listen(i);
    const auto named = name_of_server(i) + ":2181";
    world.servers += (i == 0 ? "" : ",") + (world.design.named_servers ? named : addresses_[i]);
  }
}

void server_side::listen(std::size_t which) {
  if (secured_.empty())
    kernel_.net().listen(addresses_[which], ensemble_.at(static_cast<int>(which)));
  else
    kernel_.net().listen(addresses_[which], secured_[which]);
}

servers::observer server_side::observe(bool printed) {
  servers::observer by;
  by.committed = [this](const servers::transaction& what, const memory::outcome& outcome) {
    committed(what, outcome);
  };
  by.leads = [this](int leader) {
    world_.statistics.count(seen::leader_elected);
    world_.tell("server ", leader + 1, " leads");
  };
  by.left = [this](int replica, std::int64_t session, time_point at) {
    left(replica, session, at);
  };
  by.connected = [this](std::int64_t session, std::chrono::milliseconds timeout) {
    connected(session, timeout);
  };
  by.turned_away = [this](std::int64_t session) { turned_away(session); };
  by.fault = [this](const std::string& what) { world_.violated("the model: " + what); };
  if (printed) by.trace = [this](const std::string& what) { world_.tell.aside(what); };
  return by;
}

// The client numbers entries only, and nothing but entries and permits is deleted in a transaction
// that deletes an entry or permit: only writes of several requests have two entries.
void server_side::count_combined(const servers::transaction& what, const memory::outcome& outcome) {
  const auto* const multi = std::get_if<memory::multi_request>(&what.what.request);
  if (multi == nullptr) return;
  const auto is_request = [](const memory::multi_part& each) {
    if (const auto* const made = std::get_if<memory::create_request>(&each))
      return (made->flags & sequential) != 0;
    const auto* const removed = std::get_if<memory::remove_request>(&each);
    return removed != nullptr && is_entry(removed->path);
  };
  if (std::ranges::count_if(multi->parts, is_request) < 2) return;
  world_.statistics.count(seen::combined);
  if (outcome.events.empty()) world_.statistics.count(seen::combined_in_vain);
}

void server_side::committed(const servers::transaction& what, const memory::outcome& outcome) {
  count_combined(what, outcome);
  const auto session = what.what.session.id;
  if (std::holds_alternative<memory::close_session_request>(what.what.request) &&
      !what.expires_session && world_.uses_session(session))
    world_.violated(text("session 0x", std::hex, session, " is closed, and its client is not"));
  for (const auto& event : outcome.events) {
    if (event.type == memory::event_type::created) check_list(event.path);
    if (event.path == world_.design.root) {
      if (event.type == memory::event_type::created) world_.root_since = world_.clock().now();
      if (event.type == memory::event_type::deleted) world_.root_since.reset();
    }
    if (!is_entry(event.path)) continue;
    if (event.type == memory::event_type::created) {
      created(event.path, session);
      if (is_of_mutex(event.path))
        world_.foreign_waiters.created(event.path, session, what.id, world_.clock().now());
      check_window(event.path, session);
      check_room(session);
    }
    if (event.type != memory::event_type::deleted) continue;
    world_.foreign_waiters.deleted(event.path);
    const auto creator = creators_.find(event.path);
    if (creator == creators_.end()) continue;
    if (what.expires_session)
      world_.referee.expired(event.path);
    else
      deleted(event.path, creator->second, session, what.id);
    creators_.erase(creator);
  }
}

// Later than that a client has heard of it, or its session has ended.
void server_side::created(const std::string& path, std::int64_t session) {
  creators_[path] = session;
  const auto* const directory = ensemble_.newest().tree.find(directory_of(path));
  const auto since = world_.clock().now() - world_.design.longest_timeout;
  std::erase_if(robberies_, [since](const robbery& each) { return each.when < since; });
  const auto misleads = [&](const robbery& each) {
    return each.session == session && each.directory == directory_of(path) &&
           directory->czxid > each.zxid;
  };
  if (std::ranges::any_of(robberies_, misleads))
    world_.referee.may_mislead(path, world_.design.longest_timeout);
}

// An operator has no session.
void server_side::deleted(const std::string& path, std::int64_t creator, std::int64_t by,
                          std::int64_t zxid) {
  if (by != creator && by != 0 && !world_.referee.is_target(path))
    world_.violated(
        text("session 0x", std::hex, by, " has deleted an entry of another one: ", path));
  world_.referee.deleted(path, creator == by);
  if (creator != by)
    robberies_.push_back({.directory = std::string(directory_of(path)),
                          .session = creator,
                          .zxid = zxid,
                          .when = world_.clock().now()});
}

// The nodes that a backup has of a session come on top, until its client notices.
void server_side::check_room(std::int64_t session) const {
  if (!world_.design.narrow || was_restored_) return;
  std::size_t owned = 0;
  for (const auto& path : ensemble_.newest().tree.ephemerals(session))
    owned += path.size();
  if (owned > plan::narrow_room)
    world_.violated(text("one client owns ", owned, " bytes of paths"));
}

// As many entries of a client as its window are in line behind its holding entry. While nothing
// fails, entries that it has given up are deleted before it creates another entry.
void server_side::check_window(const std::string& path, std::int64_t session) const {
  if (!world_.design.calm || !is_of_mutex(path)) return;
  const auto directory = path.substr(0, path.rfind('/') + 1);
  const auto all = ensemble_.newest().tree.ephemerals(session);
  const auto count =
      static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const std::string& each) {
        return each.starts_with(directory);
      }));
  if (count > world_.design.window + 1 + world_.tries)
    world_.violated(text(count, " entries of one client are in line at ", directory));
}

// Strangers wait until another client has made the root: all below it has the list of its clients.
void server_side::check_list(const std::string& path) const {
  using access_kind = plan::access_kind;
  if (world_.design.access == access_kind::open) return;
  const auto* node = ensemble_.newest().tree.find(path);
  if (node == nullptr) return;
  auto denied =
      memory::can_write | memory::can_create | memory::can_delete | memory::can_administer;
  if (world_.design.access == access_kind::closed) denied |= memory::can_read;
  if (memory::is_permitted(node->state.acl, denied, {}))
    world_.violated("the access list of " + path + " lets others in");
}

std::string server_side::sessions() const {
  std::string all;
  const auto& tree = ensemble_.newest().tree;
  for (const auto& [id, timeout] : tree.sessions()) {
    all += text("\n  session 0x", std::hex, id);
    for (const auto& path : tree.ephemerals(id))
      all += "\n    " + path;
  }
  return all;
}

std::vector<std::string> server_side::nodes_of_sessions() const {
  std::vector<std::string> all;
  const auto& tree = ensemble_.newest().tree;
  for (const auto& [id, timeout] : tree.sessions())
    std::ranges::copy(tree.ephemerals(id), std::back_inserter(all));
  return all;
}

std::string server_side::watched_entry() const {
  for (int i = 0; i < servers::replicas; ++i)
    for (const auto& path : ensemble_.watched(i))
      if (is_entry(path)) return path;
  return {};
}

std::string server_side::left_behind() const {
  if (const auto all = sessions(); !all.empty()) return "sessions are left:" + all;
  for (const auto& path : ensemble_.newest().tree.paths())
    if (is_entry(path)) return "a node is left: " + path;
  for (int i = 0; i < servers::replicas; ++i)
    if (!ensemble_.watched(i).empty()) return text("server ", i + 1, " has a watch left");
  return {};
}

} // namespace deterministic
