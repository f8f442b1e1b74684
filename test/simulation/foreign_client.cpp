#include "foreign_client.hpp"

#include <utility>
#include <variant>

namespace simulation {

namespace {

std::string hex(dice& dice, std::size_t digits) {
  std::string result;
  for (std::size_t i = 0; i < digits; ++i)
    result += "0123456789abcdef"[dice.below(16)];
  return result;
}

} // namespace

std::string foreign_client::uuid(dice& dice) {
  std::string result = hex(dice, 32);
  result[12] = '4';
  result[16] = 'a';
  for (const auto at : {8, 13, 18, 23})
    result.insert(static_cast<std::size_t>(at), 1, '-');
  return result;
}

namespace {

// How libraries name their entries: Curator, go-zookeeper, kazoo, ZooKeeper's own recipe.
std::string make_prefix(dice& dice, role wants, lock_kind kind) {
  const bool shared = wants == role::shared;
  switch (dice.below(4)) {
  case 0:
    if (kind != lock_kind::shared) return "_c_" + foreign_client::uuid(dice) + "-lock-";
    return "_c_" + foreign_client::uuid(dice) + (shared ? "-__READ__" : "-__WRIT__");
  case 1:
    return "_c_" + hex(dice, 32) + (shared ? "-rlock-" : "-lock-");
  case 2:
    return hex(dice, 32) + (shared ? "__rlock__" : "__lock__");
  default:
    return shared ? hex(dice, 32) + "__rlock__" : "x-" + hex(dice, 16) + '-';
  }
}

} // namespace

foreign_client::foreign_client(world& world, std::size_t number)
    : world_(world),
      name_(text("foreign client ", number)),
      connection_(world.ensemble.make_connection()) {}

void foreign_client::send(request::kind what, std::string name) {
  connection_.sent.push_back(
      {.what = what, .directory = directory_, .name = std::move(name), .wants = wants_});
}

void foreign_client::start(std::size_t directory) {
  directory_ = directory;
  wants_ = world_.wanted_role();
  gives_up_ = false;
  create();
}

void foreign_client::create() {
  is_ = state::creating;
  send(request::kind::create, make_prefix(world_.dice, wants_, world_.plan.kind));
}

void foreign_client::list() {
  is_ = state::listing;
  send(request::kind::list, {});
}

void foreign_client::remove() {
  is_ = state::deleting;
  ++leaving_;
  send(request::kind::remove, entry_);
}

void foreign_client::removed() {
  if (--leaving_ == 0 && is_ == state::deleting) is_ = state::idle;
}

void foreign_client::finish() {
  switch (is_) {
  case state::holding:
    world_.trace(name_, " releases");
    world_.referee.end(node_);
    return world_.plan.kind == lock_kind::counted ? remove_permit() : remove();
  case state::waiting_for_permits:
    world_.trace(name_, " gives up");
    remove_permit();
    return remove();
  case state::listing:
  case state::watching:
    world_.trace(name_, " gives up");
    return remove();
  case state::making_permits:
  case state::creating_permit:
  case state::making_parents:
  case state::creating:
    gives_up_ = true;
    return;
  // A downgrade ends before the reader releases.
  case state::making_reader:
  case state::deleting_writer:
  case state::idle:
  case state::deleting:
  case state::dead:
    return;
  }
}

void foreign_client::downgrade() {
  if (is_ != state::holding || wants_ != role::exclusive) return;
  const auto at = entry_.find("__WRIT__");
  if (at == std::string::npos) return;
  world_.trace(name_, " downgrades");
  is_ = state::making_reader;
  writer_ = std::exchange(entry_, "_c_" + uuid(world_.dice) + "-__READ__" + entry_.substr(at + 8));
  connection_.sent.push_back({.what = request::kind::create_reader,
                              .directory = directory_,
                              .name = writer_,
                              .replacement = entry_});
}

void foreign_client::crash() {
  world_.trace(name_, " dies");
  if (holds()) world_.referee.end(node_);
  is_ = state::dead;
  world_.ensemble.cut(connection_);
}

bool foreign_client::revive(std::size_t server) {
  // A deposed leader commits nothing, so no session begins.
  if (!dead() || world_.ensemble.lives(connection_.session)) return false;
  if (world_.ensemble.is_deposed(server)) return false;
  world_.ensemble.attach(connection_, world_.ensemble.start_session(), server);
  is_ = state::idle;
  leaving_ = 0;
  return true;
}

bool foreign_client::deliver() {
  if (dead()) return false;
  if (connection_.received.empty()) {
    // It does not resume a session whose connection is lost.
    if (!connection_.up) crash();
    return false;
  }
  const message next = std::move(connection_.received.front());
  connection_.received.pop_front();
  std::visit([this](const auto& what) { treat(what); }, next);
  return true;
}

void foreign_client::treat(const event& event) {
  if (is_ == state::watching && event.directory == directory_) list();
  if (is_ == state::waiting_for_permits) list_permits();
}

void foreign_client::treat(const reply& reply) {
  if (reply.result == status::no_permission || reply.result == status::failed) return crash();
  // Replies to requests from before it gave up are ignored.
  if (reply.to.directory != directory_ || reply.to.what == request::kind::ask_limit)
    return treat_permits(reply);
  switch (reply.to.what) {
  case request::kind::make_parents:
    if (gives_up_)
      is_ = state::idle;
    else
      create();
    return;
  case request::kind::create:
    if (reply.result == status::no_node) {
      is_ = state::making_parents;
      return send(request::kind::make_parents, {});
    }
    node_ = world_.ensemble.find_created(reply.czxid);
    entry_ = world_.ensemble.at(node_).name;
    world_.trace(name_, " is ", entry_);
    return gives_up_ ? remove() : list();
  case request::kind::list:
    if (is_ == state::listing) look(reply);
    return;
  case request::kind::watch:
    if (is_ == state::watching && reply.result == status::no_node) list();
    return;
  case request::kind::create_reader:
    world_.statistics.count(seen::foreign_downgrade);
    wants_ = role::shared;
    is_ = state::deleting_writer;
    send(request::kind::remove, writer_);
    return;
  case request::kind::remove:
    if (is_ == state::deleting_writer)
      is_ = state::holding;
    else
      removed();
    return;
  default:
    return;
  }
}

// Whether it holds, by a list; otherwise the predecessor to wait for.
void foreign_client::look(const reply& reply) {
  zklock::queue::predecessors before;
  node_id nearest = no_such_node;
  const node& own = world_.ensemble.at(node_);
  for (const auto child : reply.children) {
    const node& other = world_.ensemble.at(child);
    const role wants = world_.policy.seen_as(other.wants);
    if (!other.is_entry || other.number >= own.number) continue;
    before.add(wants);
    if (!world_.policy.conflicts(wants, wants_)) continue;
    if (nearest == no_such_node || world_.ensemble.at(nearest).number < other.number)
      nearest = child;
  }
  if (!world_.policy.may_hold(before, wants_)) {
    is_ = state::watching;
    return send(request::kind::watch, world_.ensemble.at(nearest).name);
  }
  if (world_.plan.kind == lock_kind::counted) return create_permit();
  // Its session may have expired unnoticed: such a hold does not count.
  if (!world_.ensemble.lives(connection_.session)) return crash();
  world_.trace(name_, " holds by ", entry_);
  world_.statistics.count(seen::foreign_hold);
  is_ = state::holding;
  world_.referee.begin(node_, 0, [](entry_id) { return true; });
}

} // namespace simulation
