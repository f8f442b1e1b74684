#include "deterministic/kernel/network.hpp"

#include "deterministic/kernel/kernel.hpp"
#include "deterministic/kernel/socket.hpp"

#include <algorithm>

namespace deterministic {

namespace {

bool matches(const std::string& wanted, const std::string& found) {
  return wanted.empty() || wanted == found;
}

void apply(const link_change& what, link& to) {
  const auto change = [&what](link_direction& one) {
    if (what.cut) one.cut = *what.cut;
    if (what.delays) std::tie(one.least_delay, one.most_delay) = *what.delays;
  };
  if (what.which != direction::down) change(to.up);
  if (what.which != direction::up) change(to.down);
}

// Whether the effect of `earlier` is lost in the effect of `later`.
bool replaces(const link_change& later, const link_change& earlier) {
  return later.cut.has_value() == earlier.cut.has_value() &&
         (later.which == direction::both || later.which == earlier.which);
}

} // namespace

// A program and its connection own each other. Its destructor makes no call: the servers may be
// gone.
network::~network() {
  for (const auto& each : connections_)
    each->drop();
}

void network::change(const std::string& name, const std::string& address, const link_change& what) {
  if (what.cut)
    kernel_.trace([&] {
      constexpr const char* names[] = {" up", " down", ""};
      return std::string(*what.cut ? "cuts" : "heals") + " the link of " +
             (name.empty() ? "all" : name) + " and " + (address.empty() ? "all" : address) +
             names[static_cast<int>(what.which)];
    });
  if (name.empty() || address.empty()) {
    const std::pair subject(name, address);
    std::erase_if(changes_, [&](const auto& each) {
      return each.first == subject && replaces(what, each.second);
    });
    changes_.emplace_back(subject, what);
  } else {
    find_link(name, address);
  }
  for (const auto& each : links_) {
    if (!matches(name, each->name) || !matches(address, each->address)) continue;
    apply(what, *each);
    if (each->is_faulty())
      for (connection* const one : each->connections)
        one->hurt();
    if (what.cut && !*what.cut)
      for (connection* const one : each->connections)
        one->resume();
  }
}

link& network::find_link(const std::string& name, const std::string& address) {
  for (const auto& each : links_)
    if (each->name == name && each->address == address) return *each;
  auto& added = *links_.emplace_back(std::make_unique<link>());
  added.name = name;
  added.address = address;
  for (const auto& [subject, what] : changes_)
    if (matches(subject.first, name) && matches(subject.second, address)) apply(what, added);
  return added;
}

// Calls may end connections.
template <class Function>
void network::for_each(const std::string& name, const std::string& address, Function function) {
  for (const auto& each : links_) {
    if (!matches(name, each->name) || !matches(address, each->address)) continue;
    const auto all = each->connections;
    for (connection* const one : all)
      function(*one);
  }
}

void network::reset(const std::string& name, const std::string& address) {
  for_each(name, address, [](connection& each) { each.tear(); });
}

void network::finish(const std::string& name, const std::string& address, direction which) {
  for_each(name, address, [which](connection& each) {
    if (which != direction::down) each.finish_way(true);
    if (which != direction::up) each.finish_way(false);
  });
}

void network::reset_after(const std::string& name, const std::string& address, direction which,
                          std::size_t bytes) {
  for_each(name, address, [&](connection& each) {
    if (which != direction::down) each.break_after(true, bytes);
    if (which != direction::up) each.break_after(false, bytes);
  });
}

void network::forget(const std::string& address) {
  kernel_.trace([&] { return address + " forgets its connections"; });
  for_each({}, address, [](connection& each) { each.forget(); });
}

std::size_t network::count(const std::string& name, const std::string& address) const {
  std::size_t count = 0;
  for (const auto& each : links_)
    if (matches(name, each->name) && matches(address, each->address))
      count += each->connections.size();
  return count;
}

bool network::has_client(const std::string& name, const std::string& address) const {
  return std::any_of(links_.begin(), links_.end(), [&](const auto& each) {
    return matches(name, each->name) && matches(address, each->address) &&
           std::any_of(each->connections.begin(), each->connections.end(),
                       [](const auto* open) { return open->has_client(); });
  });
}

std::string network::left() const {
  std::string names;
  for (const auto& each : links_)
    for (const auto* const open : each->connections)
      if (open->has_client())
        names += (names.empty() ? "" : ", ") + each->name + " and " + each->address;
  return names.empty() ? names : "connections are left: " + names;
}

std::shared_ptr<connection> network::connect(socket& from, const process& client,
                                             const std::string& address) {
  kernel_.trace([&] { return client.name() + " connects to " + address; });
  auto& through = find_link(client.name(), address);
  auto made = std::make_shared<connection>(kernel_, from, through);
  connections_.push_back(made);
  through.connections.push_back(made.get());
  made->open();
  return made;
}

listener* network::find(const std::string& address) const {
  const auto it = listeners_.find(address);
  return it == listeners_.end() ? nullptr : it->second;
}

void network::kill(const process& which) {
  for_each(which.name(), {}, [](connection& each) { each.die(); });
}

void network::remove(const connection& which) {
  for (const auto& each : links_)
    std::erase(each->connections, &which);
  std::erase_if(connections_, [&](const auto& each) { return each.get() == &which; });
}

} // namespace deterministic
