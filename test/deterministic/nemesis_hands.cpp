// The deeds of an operator.

#include "nemesis.hpp"

#include <array>
#include <cstddef>
#include <iterator>

namespace deterministic {

using namespace std::chrono_literals;
namespace memory = servers::memory;

// A client can leave a server that shows nodes which no other server has if it knows another one.
void nemesis::change_list() {
  host& one = hosts_[changing_.below(hosts_.size())];
  if (!one.is_between_handlers()) return;
  const std::size_t least = world_.design.has_phantoms ? 2 : 1;
  auto addresses = servers_.addresses();
  for (std::size_t i = 0; i < addresses.size(); ++i)
    if (changing_.chance(30)) addresses[i] = name_of_server(i) + ":2181";
  while (addresses.size() > least && changing_.chance(60))
    addresses.erase(addresses.begin() +
                    static_cast<std::ptrdiff_t>(changing_.below(addresses.size())));
  std::string list;
  for (const auto& each : addresses)
    list.append(list.empty() ? "" : ",").append(each);
  one.set_servers(changing_.below(one.clients()), list);
}

std::vector<std::string> nemesis::entries() {
  auto all = servers_.ensemble().newest().tree.paths();
  std::erase_if(all, [](const std::string& path) { return !is_entry(path); });
  return all;
}

std::string nemesis::any_entry() {
  const auto all = entries();
  return all.empty() ? std::string() : all[world_.random.below(all.size())];
}

void nemesis::delete_by_hand(const std::string& path) {
  world_.statistics.count(seen::entry_deleted);
  world_.tell(path, " is deleted by hand");
  servers_.ensemble().propose(memory::remove_request{.path = path});
}

void nemesis::delete_entry() {
  const auto path = any_entry();
  if (!path.empty()) delete_by_hand(path);
}

// Deletes entries of a lock, so that some stand in line, or are permits of a single holder.
void nemesis::delete_several() {
  const auto all = entries();
  if (all.empty()) return;
  const auto& one = all[aside_.below(all.size())];
  const auto directory = one.substr(0, one.rfind('/') + 1);
  const auto most = aside_.between(1, 3);
  std::size_t count = 0;
  for (const auto& path : all) {
    if (count == most || !path.starts_with(directory) || aside_.chance(40)) continue;
    ++count;
    delete_by_hand(path);
  }
}

// Names that no acquire gets: without a number, or with a number that comes before or long after
// all other numbers.
void nemesis::leave_child() {
  constexpr std::array names{"notes", "by-hand-lock-2000000000", "by-hand-lock--00000005",
                             "by-hand__READ__-000000005"};
  const auto beside = any_entry();
  // Each node beside a permit counts as a permit.
  if (beside.empty() || beside.find("/leases/") != beside.npos) return;
  const auto path =
      beside.substr(0, beside.rfind('/') + 1) + names[world_.random.below(names.size())];
  world_.statistics.count(seen::child_left);
  world_.tell(path, " is made by hand");
  servers_.ensemble().propose(
      memory::create_request{.path = path, .acl = {{.scheme = "world", .id = "anyone"}}});
  children_.insert(path);
  if (is_in_the_way(path) && path.ends_with("-2000000000"))
    world_.numbered_by_hand.emplace(directory_of(path));
  later(draw(world_.random, 100ms, 10s), [this, path] { remove_child(path); });
}

bool nemesis::is_in_the_way(std::string_view path) const {
  if (path.ends_with("-2000000000")) return world_.design.first_number != 0;
  return path.ends_with("-000000005");
}

// A write can be lost with its leader; and a write that seems lost can come back with the next
// leader.
void nemesis::remove_child(const std::string& path) {
  const auto is_there = [this, path] { return servers_.ensemble().newest().tree.find(path); };
  if (!world_.healed || is_there())
    servers_.ensemble().propose(memory::remove_request{.path = path});
  world_.clock().at(world_.clock().now() + 1s, [this, path, is_there] {
    if (world_.healed || is_there()) remove_child(path);
  });
}

} // namespace deterministic
