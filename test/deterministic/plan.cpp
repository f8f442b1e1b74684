#include "plan.hpp"

#include "deterministic/ensemble/options.hpp"
#include "deterministic/kernel/kernel.hpp"

#include <algorithm>
#include <iterator>

namespace deterministic {

using namespace std::chrono_literals;

namespace {

// The servers have none above it.
constexpr std::int64_t last_possible = (std::int64_t{1} << 31) - 1;

} // namespace

std::chrono::milliseconds draw(dice& dice, std::chrono::milliseconds least,
                               std::chrono::milliseconds most) {
  return std::chrono::milliseconds(dice.between(static_cast<std::size_t>(least.count()),
                                                static_cast<std::size_t>(most.count())));
}

plan::plan(dice& dice)
    : calm(dice.chance(10)),
      brief(dice.chance(90)),
      longest_timeout(brief ? 12s : 30s),
      length(brief ? draw(dice, 8s, 25s) : draw(dice, 60s, 300s)),
      processes(dice.between(2, 4)),
      clients(dice.chance(25) ? 2 : 1),
      programs(dice.between(1, 4)),
      mutexes(dice.between(1, 2)),
      shared_mutexes(dice.between(0, 2)),
      semaphores(dice.between(0, 1)),
      limit(static_cast<std::int64_t>(dice.between(1, 4))),
      think_time(draw(dice, 200ms, brief ? 3s : 20s)),
      hold_time(draw(dice, 50ms, brief ? 3s : 10s)),
      fault_interval(brief ? draw(dice, 1s, 5s) : draw(dice, 3s, 40s)),
      destroys_in_callback(dice.chance(15) ? 10 : 0),
      named_servers(dice.chance(30)),
      narrow(dice.chance(10)),
      send_buffer(kernel_options{}.send_buffer),
      container_period(servers::ensemble_options{}.container_period) {
  constexpr std::uint32_t handoffs[] = {0, 0, 1, 5};
  local_handoffs = handoffs[dice.below(std::size(handoffs))];
  constexpr std::size_t windows[] = {64, 64, 1, 2};
  window = windows[dice.below(std::size(windows))];
  auto aside = dice.aside();
  some_have_chroots = aside.chance(25);
  constexpr access_kind lists[] = {access_kind::readable, access_kind::closed};
  access = aside.chance(25) ? lists[aside.below(std::size(lists))] : access_kind::open;
  handlers_stall = !calm || aside.chance(50);
  servers_refuse = !calm && aside.chance(10);
  is_memory_scarce = !calm && aside.chance(10);
  is_operator_careless = !calm && aside.chance(10);
  if (aside.chance(5))
    first_number = static_cast<std::int32_t>((aside.chance(50) ? last_number : last_possible) -
                                             static_cast<std::int64_t>(aside.below(30)));
  // The lock under which the limit is raised in the end has such numbers, too.
  if (first_number != 0) semaphores = 0;
  if (narrow) name_end = '-' + std::string(aside.between(300, 1250), 'x');
  if (aside.chance(5)) first_xid = static_cast<std::int32_t>(last_possible - aside.below(50));
  caching = aside.chance(40);
  connections_end_one_way = !calm && aside.chance(10);
  destroys_in_handlers = !calm && aside.chance(10);
  // A frame does not fit into it.
  if (!calm && aside.chance(10)) send_buffer = aside.between(50, 500);
  if (aside.chance(20)) container_period = draw(aside, 1s, 10s);
  // Often enough for a directory to go between any two requests.
  auto reaped = dice.aside(3);
  if (reaped.chance(15)) container_period = draw(reaped, 5ms, 300ms);
  auto returning = dice.aside(4);
  servers_are_restored = !calm && returning.chance(10);
  servers_replace_sessions = !calm && returning.chance(5);
  has_phantoms =
      !calm && !servers_are_restored && access == access_kind::open && dice.aside(5).chance(20);
  misses_deletes = has_phantoms && dice.aside(14).chance(50);
  sockets_fail = !calm && dice.aside(15).chance(10);
  auto ending = dice.aside(7);
  is_careless = ending.chance(30);
  has_labels = ending.chance(30);
  auto wrong = dice.aside(11);
  servers_misanswer = !calm && wrong.chance(12);
  servers_demand_authentication = !calm && access == access_kind::open && wrong.chance(10);
  demand_stays = wrong.chance(50);
  // The number leaves the seeds of faults and of mutants alone.
  lists_change = !calm && dice.aside(370).chance(12);
  if (auto naming = dice.aside(13); naming.chance(40)) named_percent = naming.between(10, 90);
  if (some_have_chroots || access != access_kind::open) root = "/shop";
  if (aside.chance(40)) loops = aside.between(1, 2);
}

// Two intervals and a tick of the servers pass before a check proves something, and the replies
// take some time.
std::chrono::milliseconds plan::always_ahead(std::chrono::milliseconds session_timeout) {
  constexpr auto tick = 2s;
  const auto interval = std::min<std::chrono::milliseconds>(session_timeout / 5,
                                                            (session_timeout * 7 / 10 - tick) / 2);
  // The C client gives a connection up without a reply for two thirds of the session timeout, and
  // the last reply may be an interval old.
  return std::min(session_timeout - tick - 2 * interval, session_timeout * 2 / 3 - interval) -
         500ms;
}

zklock::client_options plan::next_client(dice& dice, std::size_t process) const {
  zklock::client_options options;
  options.session_timeout = draw(dice, 5s, longest_timeout);
  options.connect_timeout = draw(dice, 1s, 15s);
  options.max_entries_per_lock = window;
  options.local_handoffs = local_handoffs;
  if (narrow) options.max_path_bytes = narrow_room;
  if (dice.chance(20)) options.parents = zklock::parent_kind::persistent;
  if (caching && dice.chance(70)) {
    auto& cache = options.lock_cache.emplace();
    if (dice.chance(50)) cache.idle_limit = draw(dice, 1ms, options.session_timeout);
  }
  if (servers_demand_authentication && process % 2 == 0)
    options.credentials = {{.secret = "owner:secret"}};
  if (access == access_kind::open) return options;
  // An empty container would go, and a stranger could make it again, with its own list.
  options.parents = zklock::parent_kind::persistent;
  options.credentials = {{.secret = is_stranger(process) ? "stranger:secret" : "owner:secret"}};
  options.access = {{.scheme = "auth", .id = ""}};
  if (access == access_kind::readable)
    options.access.push_back({.permissions = zklock::permission::read});
  return options;
}

} // namespace deterministic
