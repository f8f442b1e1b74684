// Faults of the servers.

#include "nemesis.hpp"

#include <netdb.h>

namespace deterministic {

using namespace std::chrono_literals;
namespace memory = servers::memory;

int nemesis::any_replica() {
  return static_cast<int>(world_.random.below(servers::replicas));
}

void nemesis::crash_server() {
  const int which = any_replica();
  const bool loses_power = world_.random.chance(30);
  world_.statistics.count(loses_power ? seen::power_lost : seen::server_crashed);
  world_.tell("server ", which + 1, loses_power ? " loses its power" : " crashes");
  loses_power ? servers_.lose_power(which) : servers_.crash(which);
  later(draw(world_.random, 100ms, 20s), [this, which] {
    world_.tell("server ", which + 1, " starts");
    servers_.restart(which);
  });
}

void nemesis::pause_server() {
  const int which = any_replica();
  const auto duration = draw(world_.random, 100ms, 40s);
  world_.tell("server ", which + 1, " is paused for ", seconds(duration), " s");
  servers_.ensemble().pause(which, duration);
}

void nemesis::cut_servers() {
  const int one = any_replica();
  const int other =
      (one + 1 + static_cast<int>(world_.random.below(servers::replicas - 1))) % servers::replicas;
  world_.tell("servers ", one + 1, " and ", other + 1, " are cut off from each other");
  auto& ensemble = servers_.ensemble();
  if (world_.random.chance(50))
    ensemble.cut(one, other);
  else
    ensemble.cut_both_ways(one, other);
  later(draw(world_.random, 100ms, 30s), [this, one, other] {
    servers_.ensemble().heal(one, other);
    servers_.ensemble().heal(other, one);
  });
}

void nemesis::isolate_leader() {
  const int leader = servers_.ensemble().leader();
  if (leader < 0) return;
  world_.statistics.count(seen::leader_cut_off);
  if (world_.random.chance(40)) {
    const auto duration = draw(world_.random, 5s, 40s);
    world_.tell("the leader, server ", leader + 1, ", is paused for ", seconds(duration), " s");
    return servers_.ensemble().pause(leader, duration);
  }
  world_.tell("the leader, server ", leader + 1, ", is cut off");
  servers_.ensemble().isolate(leader);
  later(draw(world_.random, 1s, 40s), [this, leader] {
    for (int i = 0; i < servers::replicas; ++i) {
      if (i == leader) continue;
      servers_.ensemble().heal(i, leader);
      servers_.ensemble().heal(leader, i);
    }
  });
}

void nemesis::slow_server() {
  const int which = any_replica();
  world_.tell("server ", which + 1, " is slow");
  servers_.ensemble().slow(which, draw(world_.random, 10ms, 3s));
  later(draw(world_.random, 1s, 30s), [this, which] { servers_.ensemble().slow(which, 0ns); });
}

void nemesis::garble() {
  constexpr servers::garbage kinds[] = {servers::garbage::random_bytes, servers::garbage::wrong_xid,
                                        servers::garbage::truncated_frame,
                                        servers::garbage::huge_length, servers::garbage::silence};
  const int which = any_replica();
  const auto percent = world_.random.between(1, 100);
  world_.statistics.count(seen::garbage_sent);
  world_.servers_garble = true;
  world_.tell("server ", which + 1, " garbles ", percent, " of a hundred frames");
  servers_.ensemble().garble(which, kinds[world_.random.below(std::size(kinds))], percent);
  garbling_.insert(which);
  later(draw(world_.random, 100ms, 15s), [this, which] { end_garbage(which); });
}

// No client can notice that a single event is missing on a connection that goes on.
void nemesis::end_garbage(int which) {
  if (garbling_.erase(which) == 0) return;
  servers_.ensemble().garble(which, servers::garbage::none, 0);
  kernel_.net().reset("", servers_.addresses()[static_cast<std::size_t>(which)]);
}

void nemesis::overload() {
  const auto which = static_cast<int>(aside_.below(servers::replicas));
  const auto percent = aside_.between(1, 100);
  world_.statistics.count(seen::server_overloaded);
  world_.tell("server ", which + 1, " refuses ", percent, " of a hundred requests");
  servers_.ensemble().refuse(which, {.percent = percent});
  later(draw(aside_, 10ms, 5s), [this, which] { servers_.ensemble().refuse(which, {}); });
}

// Any error, for some requests or for some time, by a single server or by all.
void nemesis::misanswer() {
  const bool by_all = wrong_.chance(40);
  const auto one = static_cast<int>(wrong_.below(servers::replicas));
  servers::refusal what{.percent = wrong_.chance(50) ? 100 : wrong_.between(1, 100),
                        .error = memory::code::ok,
                        .lists_own = restored_};
  if (wrong_.chance(60)) what.error = servers::any_error(wrong_);
  if (wrong_.chance(40)) what.most = wrong_.between(1, 3);
  world_.statistics.count(seen::misanswered);
  world_.tell(by_all ? "all servers answer " : text("server ", one + 1, " answers "), what.percent,
              " of a hundred requests with error ", static_cast<int>(what.error));
  const auto refuse = [this, by_all, one](const servers::refusal& how) {
    for (int which = 0; which < servers::replicas; ++which)
      if (by_all || which == one) servers_.ensemble().refuse(which, how);
  };
  refuse(what);
  later(wrong_.chance(70) ? draw(wrong_, 10ms, 5s) : draw(wrong_, 5s, 25s),
        [refuse] { refuse({}); });
}

void nemesis::demand_authentication_later() {
  const auto demand = [this](bool begins) {
    world_.tell("authentication is demanded", begins ? "" : " no more");
    servers_.ensemble().demand_authentication(begins);
    world_.needs_credentials = begins && world_.design.demand_stays;
  };
  later(draw(wrong_, 0ms, world_.design.length * 3 / 4), [this, demand] {
    world_.statistics.count(seen::authentication_demanded);
    demand(true);
    if (!world_.design.demand_stays) later(draw(wrong_, 100ms, 15s), [demand] { demand(false); });
  });
}

// Clients have used locks before and after the backup. In half of the histories all servers start
// again, twice, between the backup and the restore: the epochs of later writes are then above the
// first epoch after the restore, and zxids tell. Otherwise only nodes that are back tell.
void nemesis::back_up_later() {
  const auto length = world_.design.length;
  later(draw(returning_, length / 8, length / 4), [this] {
    world_.tell("a backup is made");
    servers_.ensemble().back_up();
  });
  const auto first = draw(returning_, length / 4, length / 2);
  const auto second = draw(returning_, length / 2, length * 3 / 4);
  later(draw(returning_, length * 3 / 4, length * 15 / 16), [this] { restore(); });
  if (returning_.chance(50)) return;
  later(first, [this] { restart_servers(); });
  later(second, [this] { restart_servers(); });
}

void nemesis::restart_servers() {
  world_.tell("all servers crash");
  for (int which = 0; which < servers::replicas; ++which)
    servers_.crash(which);
  start_servers_later();
}

void nemesis::start_servers_later() {
  later(draw(returning_, 10ms, 3s), [this] {
    for (int which = 0; which < servers::replicas; ++which)
      servers_.restart(which);
  });
}

void nemesis::restore() {
  if (!servers_.can_restore()) return;
  world_.statistics.count(seen::data_restored);
  world_.tell("the backup is restored");
  servers_.restore();
  restored_ = true;
  for (int which = 0; which < servers::replicas; ++which)
    servers_.ensemble().refuse(which, {});
  start_servers_later();
}

// This fault stays when all other faults end.
void nemesis::keep_nodes() {
  if (phantoms_at_ < 0) {
    phantoms_at_ = static_cast<int>(phantom_.below(servers::replicas));
    world_.tell("server ", phantoms_at_ + 1, " keeps the nodes of sessions that end",
                world_.design.misses_deletes ? ", and misses deletes" : "");
  }
  servers_.ensemble().keep_nodes(phantoms_at_);
  if (world_.design.misses_deletes && missing_.chance(50))
    servers_.ensemble().miss_delete(phantoms_at_, missing_.chance(30));
}

// No client can notice that events are missing on a connection that goes on.
void nemesis::forget_kept() {
  if (phantoms_at_ < 0 || !servers_.ensemble().forget_kept(phantoms_at_)) return;
  world_.statistics.count(seen::nodes_kept);
  world_.tell("server ", phantoms_at_ + 1, " has forgotten what it kept");
  kernel_.net().reset("", servers_.addresses()[static_cast<std::size_t>(phantoms_at_)]);
}

void nemesis::spoil_name() {
  if (!world_.design.named_servers) return;
  world_.statistics.count(seen::name_spoiled);
  const auto which = world_.random.below(servers_.addresses().size());
  const bool is_slow = world_.random.chance(60);
  world_.tell("the name of server ", which + 1, is_slow ? " is slow" : " is not found");
  servers_.spoil_name(which, draw(world_.random, 1ms, is_slow ? 20s : 1s), is_slow ? 0 : EAI_AGAIN);
  later(draw(world_.random, 1s, 30s), [this] { servers_.heal_names(); });
}

} // namespace deterministic
