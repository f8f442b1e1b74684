// The rules for states in which neither servers nor clients have anything to do. All other rules
// belong to test/simulation, and are checked while events happen.

#include "failure.hpp"
#include "scene.hpp"

namespace exhaustive {

using simulation::fail;

bool scene::is_quiet() const {
  const auto& ensemble = history_.world().ensemble;
  for (const auto& client : history_.clients()) {
    const auto& connection = client.connection();
    if (!client.connected() || !connection.up || !connection.sent.empty() ||
        !connection.received.empty())
      return false;
  }
  for (const auto& other : history_.foreign_clients()) {
    const auto& connection = other.connection();
    if (other.dead() ? ensemble.lives(other.session())
                     : !connection.sent.empty() || !connection.received.empty())
      return false;
  }
  return true;
}

void scene::check() const {
  if (!is_quiet()) return;
  bool is_held = false;
  bool is_wanted = false;
  for (const auto& client : history_.clients()) {
    client.check_downgrades();
    for (const auto& [id, attempt] : client.attempts(0)) {
      is_wanted = true;
      is_held |= attempt.held && attempt.wants_something();
      if (!attempt.wants_something())
        fail("acquisition ", id, " is released, and is not heard of any more");
    }
  }
  for (const auto& other : history_.foreign_clients()) {
    is_wanted |= !other.dead() && !other.idle();
    is_held |= other.holds();
  }
  if (is_wanted && !is_held) fail("all wait, and nothing is on its way");
  if (is_wanted) return;
  // A cached entry has a node and a watch.
  for (const auto& client : history_.clients())
    if (client.caches_any()) return;
  for (const auto& client : history_.clients())
    client.check_rest();
  history_.world().ensemble.check_watches();
}

} // namespace exhaustive
