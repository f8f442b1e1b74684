// What an operator does by hand.

#include "nemesis.hpp"

#include <array>
#include <iterator>

namespace deterministic {

using namespace std::chrono_literals;
namespace memory = servers::memory;

std::string nemesis::any_entry() {
  auto all = servers_.ensemble().newest().tree.paths();
  std::erase_if(all, [](const std::string& path) { return !is_entry(path); });
  return all.empty() ? std::string() : all[world_.random.below(all.size())];
}

void nemesis::delete_entry() {
  const auto path = any_entry();
  if (path.empty()) return;
  world_.statistics.count(seen::entry_deleted);
  world_.tell(path, " is deleted by hand");
  servers_.ensemble().propose(memory::remove_request{.path = path});
}

// Names that no acquire gets: without a number, with one that comes before all others, or with one
// that comes long after them.
void nemesis::leave_child() {
  constexpr std::array names{"notes", "by-hand-lock-2000000000", "by-hand-lock--00000005",
                             "by-hand__READ__-000000005"};
  const auto beside = any_entry();
  // Each node beside a permit counts as one.
  if (beside.empty() || beside.find("/leases/") != beside.npos) return;
  const auto path =
      beside.substr(0, beside.rfind('/') + 1) + names[world_.random.below(names.size())];
  world_.statistics.count(seen::child_left);
  world_.tell(path, " is made by hand");
  servers_.ensemble().propose(
      memory::create_request{.path = path, .acl = {{.scheme = "world", .id = "anyone"}}});
  children_.insert(path);
  later(draw(world_.random, 100ms, 10s), [this, path] { remove_child(path); });
}

bool nemesis::is_in_the_way(std::string_view path) {
  return path.ends_with("-000000005");
}

// A write can be lost with its leader.
void nemesis::remove_child(const std::string& path) {
  servers_.ensemble().propose(memory::remove_request{.path = path});
  world_.clock().at(world_.clock().now() + 1s, [this, path] {
    if (servers_.ensemble().newest().tree.find(path)) remove_child(path);
  });
}

} // namespace deterministic
