#include "nemesis.hpp"

#include <array>

namespace deterministic {

using namespace std::chrono_literals;

nemesis::nemesis(world& world, kernel& kernel, std::deque<host>& hosts, server_side& servers)
    : world_(world),
      kernel_(kernel),
      hosts_(hosts),
      servers_(servers),
      aside_(world.random.aside(2)),
      returning_(world.random.aside(5)),
      phantom_(world.random.aside(6)),
      missing_(world.random.aside(14)),
      lacking_(world.random.aside(15)),
      wrong_(world.random.aside(11)),
      changing_(world.random.aside(12)) {
  usual_delays();
}

void nemesis::start() {
  strike_later();
  const auto& design = world_.design;
  if (design.servers_refuse || design.is_memory_scarce || design.is_operator_careless ||
      design.connections_end_one_way || design.loops != 0 || design.has_phantoms ||
      design.servers_misanswer || design.lists_change || design.sockets_fail)
    strike_aside_later();
  if (design.servers_demand_authentication) demand_authentication_later();
  if (design.servers_are_restored) back_up_later();
}

void nemesis::strike_aside_later() {
  later(draw(aside_, 0ms, 3s), [this] {
    strike_aside();
    strike_aside_later();
  });
}

void nemesis::strike_aside() {
  const auto& design = world_.design;
  if (design.servers_refuse && aside_.chance(50)) overload();
  if (design.is_memory_scarce && aside_.chance(50)) fail_sends();
  if (design.is_operator_careless && aside_.chance(50)) delete_several();
  if (design.connections_end_one_way && aside_.chance(50)) end_one_way();
  if (design.loops != 0 && aside_.chance(30)) block_loop();
  if (design.has_phantoms && phantom_.chance(50)) keep_nodes();
  if (design.servers_misanswer && wrong_.chance(50)) misanswer();
  if (design.lists_change && changing_.chance(50)) change_list();
  if (design.sockets_fail && lacking_.chance(30)) fail_sockets();
}

void nemesis::usual_delays() {
  kernel_.net().set_delay("", "", 50us, 2ms);
}

void nemesis::later(std::chrono::nanoseconds delay, std::function<void()> what) {
  world_.clock().at(world_.clock().now() + delay, [this, what = std::move(what)] {
    if (!world_.healed) what();
  });
}

void nemesis::strike_later() {
  const auto mean = world_.design.fault_interval;
  later(world_.random.chance(20) ? draw(world_.random, 0ms, 300ms)
                                 : draw(world_.random, mean / 4, mean * 7 / 4),
        [this] {
          strike();
          strike_later();
        });
}

void nemesis::strike() {
  world_.statistics.count(seen::fault);
  struct choice {
    void (nemesis::*fault)();
    std::size_t weight;
  };
  static constexpr std::array choices{
      choice{&nemesis::cut, 20},         choice{&nemesis::delay, 6},
      choice{&nemesis::reset, 10},       choice{&nemesis::reset_after, 10},
      choice{&nemesis::pause, 12},       choice{&nemesis::suspend, 2},
      choice{&nemesis::shift_clock, 3},  choice{&nemesis::destroy_client, 5},
      choice{&nemesis::close_client, 3}, choice{&nemesis::end_process, 5},
      choice{&nemesis::crash_server, 6}, choice{&nemesis::pause_server, 5},
      choice{&nemesis::cut_servers, 5},  choice{&nemesis::isolate_leader, 8},
      choice{&nemesis::slow_server, 4},  choice{&nemesis::garble, 4},
      choice{&nemesis::spoil_name, 3},   choice{&nemesis::delete_entry, 4},
      choice{&nemesis::leave_child, 4},
  };
  std::size_t all = 0;
  for (const auto& each : choices)
    all += each.weight;
  auto drawn = world_.random.below(all);
  for (const auto& each : choices) {
    if (drawn < each.weight) return (this->*each.fault)();
    drawn -= each.weight;
  }
}

std::string nemesis::any_process() {
  host& one = any_host();
  return one.is_running() && world_.random.chance(75) ? one.running().name() : std::string();
}

std::string nemesis::any_server() {
  const auto& all = servers_.addresses();
  return world_.random.chance(50) ? all[world_.random.below(all.size())] : std::string();
}

void nemesis::cut() {
  constexpr direction directions[] = {direction::up, direction::down, direction::both,
                                      direction::both};
  const auto name = any_process();
  const auto server = any_server();
  const auto which = directions[world_.random.below(std::size(directions))];
  const auto duration =
      world_.random.chance(80) ? draw(world_.random, 50ms, 12s) : draw(world_.random, 10s, 50s);
  world_.tell("cut between ", name.empty() ? "all" : name, " and ", server.empty() ? "all" : server,
              which == direction::up     ? ", up"
              : which == direction::down ? ", down"
                                         : "",
              ", for ", seconds(duration), " s");
  kernel_.net().cut(name, server, which);
  later(duration, [=, this] { kernel_.net().heal(name, server, which); });
}

void nemesis::delay() {
  const auto name = any_process();
  const auto server = any_server();
  const auto most = draw(world_.random, 10ms, 3s);
  world_.tell("delays of up to ", seconds(most), " s");
  kernel_.net().set_delay(name, server, most / 10, most);
  later(draw(world_.random, 1s, 20s), [this] { usual_delays(); });
}

void nemesis::reset() {
  const auto name = any_process();
  const auto server = any_server();
  world_.tell("connections of ", name.empty() ? "all" : name, " are reset");
  kernel_.net().reset(name, server);
}

void nemesis::reset_after() {
  const auto name = any_process();
  const auto server = any_server();
  const auto which = world_.random.chance(50) ? direction::up : direction::down;
  const auto bytes = world_.random.below(400);
  world_.tell("connections of ", name.empty() ? "all" : name, " are reset after ", bytes,
              which == direction::up ? " bytes up" : " bytes down");
  kernel_.net().reset_after(name, server, which, bytes);
}

void nemesis::pause() {
  host& one = any_host();
  if (!one.is_running()) return;
  one.pause(world_.random.chance(60) ? draw(world_.random, 1ms, 3s) : draw(world_.random, 3s, 40s));
}

void nemesis::suspend() {
  host& one = any_host();
  if (one.is_running()) one.suspend(draw(world_.random, 1s, 40s));
}

void nemesis::shift_clock() {
  host& one = any_host();
  if (!one.is_running()) return;
  const auto by = draw(world_.random, 0ms, 20s) - 10s;
  world_.tell("the real-time clock of ", one.name(), " jumps by ", seconds(by), " s");
  one.running().shift_real_time(by);
}

void nemesis::destroy_client() {
  host& one = any_host();
  if (one.is_between_handlers()) one.destroy_client(world_.random.below(one.clients()));
}

void nemesis::close_client() {
  host& one = any_host();
  if (one.is_between_handlers()) one.close_client(world_.random.below(one.clients()));
}

void nemesis::end_process() {
  host& one = any_host();
  if (!one.is_between_handlers()) return;
  const auto how = world_.random.below(3);
  if (how == 0)
    one.kill();
  else
    one.destroy(how == 1);
  later(draw(world_.random, 10ms, 10s), [&one] { one.start(); });
}

void nemesis::fail_sends() {
  host& one = hosts_[aside_.below(hosts_.size())];
  if (!one.is_running()) return;
  const auto count = aside_.between(1, 3);
  world_.statistics.count(seen::sends_failed);
  world_.tell("there is no memory for the next ", count, " sends of ", one.name());
  one.running().fail_sends(count);
}

void nemesis::fail_sockets() {
  host& one = hosts_[lacking_.below(hosts_.size())];
  if (!one.is_running()) return;
  auto& process = one.running();
  const auto duration = draw(lacking_, 1ms, 10s);
  world_.statistics.count(seen::sockets_failed);
  const auto how = lacking_.below(3);
  world_.tell(one.name(), how == 0 ? " cannot reach the network" : " has no descriptors", " for ",
              seconds(duration), " s");
  if (how == 0)
    process.lack_network(duration);
  else
    process.lack_descriptors(duration, how == 1);
  // Half of the processes need a new connection at once.
  if (lacking_.chance(50)) kernel_.net().reset(process.name(), "");
}

// Bytes sent that way afterwards are lost; the opposite way goes on until its sender ends it.
void nemesis::end_one_way() {
  host& one = hosts_[aside_.below(hosts_.size())];
  if (!one.is_running()) return;
  const bool up = aside_.chance(50);
  world_.statistics.count(seen::ended_one_way);
  world_.tell("connections of ", one.name(), " end one way, ", up ? "up" : "down");
  kernel_.net().finish(one.running().name(), "", up ? direction::up : direction::down);
}

void nemesis::block_loop() {
  host& one = hosts_[aside_.below(hosts_.size())];
  if (one.is_running()) one.block_loop(aside_, draw(aside_, 1s, 20s));
}

void nemesis::heal() {
  world_.tell("all faults end");
  // Nothing else tells the waiters.
  for (int i = 0; i < 3 && !world_.design.calm; ++i)
    delete_entry();
  while (!garbling_.empty())
    end_garbage(*garbling_.begin());
  kernel_.net().heal("", "");
  servers_.heal();
  if (world_.design.servers_demand_authentication && !world_.design.demand_stays)
    servers_.ensemble().demand_authentication(false);
  usual_delays();
  for (const auto& path : children_)
    if (is_in_the_way(path)) remove_child(path);
}

} // namespace deterministic
