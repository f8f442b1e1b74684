#include "fingerprint.hpp"

#include "description.hpp"
#include "queue/entry_name.hpp"

#include <algorithm>
#include <numeric>
#include <variant>

namespace exhaustive {

static_assert(zklock::state_writer<fingerprint>);

namespace {

constexpr std::uint64_t mix(std::uint64_t sum, std::uint64_t next) noexcept {
  sum = (sum ^ next) * 0x9fb21c651e98df25;
  return sum ^ (sum >> 32);
}

std::uint64_t hash_of(std::string_view text) noexcept {
  std::uint64_t sum = text.size();
  for (const char c : text)
    sum = mix(sum, static_cast<unsigned char>(c));
  return sum;
}

} // namespace

std::uint64_t fingerprint::of(const scene& scene) {
  scene_ = &scene;
  // If the directory can be made anew, the numbers begin anew, too: then their size counts.
  base_ =
      scene.bounds().reaps == 0 ? scene.history().world().ensemble.truth().at(0).children_ever : 0;
  for (auto& used : used_)
    used.clear();
  for (client_ = 0; client_ < scene.clients(); ++client_) {
    to_ = &clients_[client_];
    to_->clear();
    describe_client(client_);
  }
  to_ = &common_;
  common_.clear();
  describe_common();

  for (auto& used : used_) {
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
  }
  for (std::size_t i = 0; i < scene.clients(); ++i)
    add_ranks(clients_[i]);
  add_ranks(common_);

  std::array<std::size_t, most_clients> places{};
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::uint64_t least = ~std::uint64_t{0};
  const auto end = places.begin() + static_cast<std::ptrdiff_t>(scene.clients());
  do
    least = std::min(least, hash(places));
  while (std::next_permutation(places.begin(), end));
  return least;
}

void fingerprint::add(std::uint64_t next) noexcept {
  to_->sum = mix(to_->sum, next);
}

// Zero stands for nothing everywhere.
void fingerprint::put(kind is, std::size_t client, std::uint64_t raw, bool is_bound) {
  add(raw != 0);
  if (raw == 0) return;
  const auto among = static_cast<std::size_t>(is) * most_clients + client;
  to_->ranked.push_back({.among = among, .raw = raw, .is_bound = is_bound});
  if (!is_bound) used_[among].push_back(raw);
}

void fingerprint::owner(std::size_t client) {
  to_->clients.push_back(client);
}

void fingerprint::add_ranks(part& of) const {
  for (const auto& [among, raw, is_bound] : of.ranked) {
    const auto& used = used_[among];
    const auto at = is_bound ? std::upper_bound(used.begin(), used.end(), raw)
                             : std::lower_bound(used.begin(), used.end(), raw);
    of.sum = mix(of.sum, static_cast<std::uint64_t>(at - used.begin()));
  }
}

// `places` tells for each place which client is in it.
std::uint64_t fingerprint::hash(const std::array<std::size_t, most_clients>& places) const {
  std::array<std::uint64_t, most_clients> place_of{};
  for (std::size_t i = 0; i < scene_->clients(); ++i)
    place_of[places[i]] = i;
  std::uint64_t sum = common_.sum;
  const auto add_clients = [&](const part& all) {
    for (const auto client : all.clients)
      sum = mix(sum, place_of[client]);
  };
  add_clients(common_);
  for (std::size_t i = 0; i < scene_->clients(); ++i) {
    sum = mix(sum, clients_[places[i]].sum);
    add_clients(clients_[places[i]]);
  }
  return mix(sum, 0);
}

void fingerprint::describe_client(std::size_t client) {
  const auto& one = scene_->history().clients()[client];
  one.describe(*this);
  describe(one.connection());
  scene_->history().world().referee.describe(*this, one.session());
  scene_->describe_left(*this, client);
}

void fingerprint::describe_common() {
  const auto& world = scene_->history().world();
  const auto& truth = world.ensemble.truth();
  for (std::size_t i = 0; i < truth.directories(); ++i) {
    const auto& there = truth.at(i);
    value(there.exists);
    value(there.children_ever == 0);
    if (base_ == 0) value(there.children_ever);
    value(there.limit);
    value(there.children.size());
    for (const auto child : there.children)
      node(child);
  }
  for (std::size_t i = 0; i < truth.parents(); ++i) {
    value(truth.parent_exists(i));
    value(truth.parent_used(i));
  }
  world.referee.describe(*this);
  for (const auto& other : scene_->history().foreign_clients()) {
    other.describe(*this);
    session(other.session());
    describe(other.connection());
  }
  scene_->describe_left(*this);
}

void fingerprint::describe(const simulation::connection& connection) {
  session(connection.session);
  value(connection.up);
  value(connection.sent.size());
  for (const auto& request : connection.sent)
    describe(request);
  value(connection.received.size());
  for (const auto& message : connection.received)
    std::visit([this](const auto& what) { describe(what); }, message);
  // The events of a connection come in the order of the changes, not of the watches.
  std::vector<std::pair<std::size_t, simulation::node_id>> watched;
  for (const auto& watch : scene_->history().world().ensemble.watches())
    if (watch.by == &connection) watched.emplace_back(watch.directory, watch.node);
  std::sort(watched.begin(), watched.end());
  value(watched.size());
  for (const auto& [directory, id] : watched) {
    value(directory);
    node(id);
  }
}

void fingerprint::describe(const simulation::request& sent) {
  value(sent.what);
  value(sent.directory);
  // A node that is to be created has no number yet: the tag tells its entry.
  if (sent.what != simulation::request::kind::create) name(sent.name);
  name(sent.replacement);
  value(sent.parts.size());
  for (const auto& each : sent.parts) {
    value(each.what);
    value(each.directory);
    name(each.name);
  }
  value(sent.of_list);
  value(sent.wants);
  value(sent.to != nullptr);
  value(sent.tag.what);
  entry(sent.tag.which);
}

void fingerprint::describe(const simulation::reply& received) {
  describe(received.to);
  value(received.result);
  if (received.to.what == simulation::request::kind::create) {
    value(received.number == 0);
    number(received.number);
  }
  zxid(received.czxid);
  value(received.children.size());
  for (const auto child : received.children)
    node(child);
  // How many permits there ever were does not matter.
  const bool is_list = received.to.what == simulation::request::kind::list ||
                       received.to.what == simulation::request::kind::list_and_watch;
  if (is_list && received.to.directory == 0) number(received.children_ever);
  value(received.limit);
  value(received.is_changed);
  value(received.first_failed);
}

void fingerprint::describe(const simulation::event& received) {
  value(received.directory);
  node(received.node);
  value(received.deleted);
}

// The name of a client's entry gives the client and the entry: the token does not count.
void fingerprint::name(std::string_view name) {
  if (name.empty()) return value(0);
  const auto& clients = scene_->history().clients();
  if (scene_->bounds().kind == simulation::lock_kind::counted)
    for (std::size_t i = 0; i < clients.size(); ++i)
      if (const auto id = zklock::queue::parse_permit(name, clients[i].token())) {
        value(1);
        owner(i);
        put(kind::entry, i, *id);
        return value(name.back());
      }
  const auto parsed = zklock::queue::parse_entry_name(name);
  if (!parsed || !parsed->has_id) {
    value(2);
    if (parsed) number(parsed->number);
    return value(parsed ? static_cast<std::uint64_t>(parsed->wants) : hash_of(name));
  }
  value(3);
  number(parsed->number);
  value(parsed->wants);
  for (std::size_t i = 0; i < clients.size(); ++i)
    if (clients[i].token() == parsed->token) {
      owner(i);
      return put(kind::entry, i, parsed->id);
    }
  value(4);
  put(kind::token, 0, parsed->token.bits);
  value(parsed->id);
}

void fingerprint::node(simulation::node_id id) {
  if (id >= simulation::limit_node) return value(id);
  const auto& ensemble = scene_->history().world().ensemble;
  const auto& node = ensemble.at(id);
  const auto client = owner_of(node.owner);
  if (client < scene_->clients()) {
    value(5);
    owner(client);
    put(kind::entry, client, node.entry);
    value(node.directory);
    if (node.directory == 0)
      number(node.number);
    else
      value(node.number);
    value(node.wants);
  } else {
    name(node.name);
  }
  value(ensemble.lives(node.owner));
  zxid(node.token);
  zxid(node.czxid);
  value(ensemble.truth().contains(id));
  value(node.replaced_by != simulation::no_such_node);
  value(node.deleted_by_hand);
  value(ensemble.is_misled(node.owner, node.entry));
}

std::size_t fingerprint::owner_of(simulation::session_id session) const {
  const auto& clients = scene_->history().clients();
  std::size_t i = 0;
  while (i < clients.size() && (session == 0 || clients[i].session() != session))
    ++i;
  return i;
}

void fingerprint::session(simulation::session_id session) {
  value(session != 0);
  value(session != 0 && scene_->history().world().ensemble.lives(session));
  const auto client = owner_of(session);
  value(client < scene_->clients());
  if (client < scene_->clients()) owner(client);
}

} // namespace exhaustive
