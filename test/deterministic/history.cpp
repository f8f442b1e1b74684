#include "history.hpp"

#include "zookeeper/xid.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>

namespace deterministic {

using namespace std::chrono_literals;

namespace {

// The time of the slowest acquires when all faults are over: their sessions may have to expire, and
// locks pass through many hands.
constexpr auto time_to_end = 600s;
constexpr auto time_to_reconnect = 40s;
// Packets that a process sent before it was killed may arrive when a link is healed.
constexpr auto time_to_expire = 60s;
constexpr auto time_to_try = 20s;
// A server that is asked may lag.
constexpr auto time_to_catch_up = 1s;
constexpr auto time_to_close = 120s;
// Until the servers end a session that no client uses: its timeout, and some ticks.
constexpr auto ticks_to_expire = 10s;
// With the pauses of its process.
constexpr auto longest_handler = 120s;

std::function<void(const std::string&)> narrated(bool printed) {
  if (!printed) return {};
  return [](const std::string& line) { std::puts(line.c_str()); };
}

} // namespace

history::history(std::uint64_t seed, bool printed, const setting& of)
    : world_(seed, printed, of),
      kernel_({.seed = seed,
               .send_buffer = world_.design.send_buffer,
               .look = [this] { look(); },
               .trace = narrated(printed)}),
      servers_(world_, kernel_, seed, printed),
      nemesis_(world_, kernel_, hosts_, servers_) {
  // Further state that outlives a history.
  zklock::zookeeper::set_next_xid(world_.design.first_xid);
  world_.loop = &kernel_.time();
  world_.tell.use_clock(kernel_.time());
  world_.referee.use_clock(kernel_.time());
  if (world_.design.calm) world_.referee.expect_no_doubt();
  if (world_.design.caching) world_.referee.expect_old_readers();
  world_.uses_session = [this](std::int64_t session) {
    return std::any_of(hosts_.begin(), hosts_.end(),
                       [session](const host& each) { return each.uses_session(session); });
  };
  world_.attends_session = [this](std::int64_t session, time_point at) {
    const auto since = at - world_.design.longest_timeout;
    return std::any_of(hosts_.begin(), hosts_.end(), [=](const host& each) {
      return each.uses_session(session) && each.pauses().last_end() < since;
    });
  };
  for (std::size_t i = 0; i < world_.design.processes; ++i)
    hosts_.emplace_back(world_, kernel_, i);
}

// A violation may have ended it while a handler of a further loop takes long, or is paused.
history::~history() {
  world_.healed = true;
  kernel_.run_until(world_.clock().now() + longest_handler, [this] {
    return std::all_of(hosts_.begin(), hosts_.end(), [](const host& each) {
      return !each.is_running() || each.is_between_handlers();
    });
  });
  world_.uses_session = [](std::int64_t) { return false; };
  world_.attends_session = [](std::int64_t, time_point) { return false; };
}

bool history::look() {
  world_.referee.look();
  if (!kernel_.faults().empty()) world_.violated(kernel_.faults().front());
  return !world_.violation.empty();
}

void history::run_until(std::chrono::nanoseconds within, const std::function<bool()>& over,
                        const std::string& what) {
  const auto is_over = [&] { return look() || over(); };
  const bool ended = kernel_.run_until(world_.clock().now() + within, is_over);
  if (!world_.violation.empty()) throw failure(world_.violation);
  if (!ended)
    throw failure(text("after ", seconds(within), " s without faults ", what, waits(),
                       "\nthe servers have", servers_.sessions()));
}

void history::run_for(std::chrono::nanoseconds duration) {
  kernel_.run_until(world_.clock().now() + duration, [this] { return look(); });
  if (!world_.violation.empty()) throw failure(world_.violation);
}

std::string history::waits() const {
  std::string all;
  for (const auto& each : world_.waits)
    all += "\n  waits: " + each;
  return all;
}

void history::run() {
  world_.tell("servers ", world_.servers);
  for (auto& each : hosts_)
    each.start();
  if (!world_.design.calm) nemesis_.start();
  run_for(world_.design.length);
  nemesis_.heal();
  world_.healed = true;
  for (auto& each : hosts_)
    each.complete();
  come_to_rest();
  check_rest();
  world_.statistics.count(seen::send_cut_short, kernel_.short_sends());
}

void history::come_to_rest() {
  const auto each_is = [this](bool (host::*what)() const) {
    return std::all_of(hosts_.begin(), hosts_.end(),
                       [what](const host& each) { return (each.*what)(); });
  };
  run_until(
      time_to_end, [&] { return each_is(&host::is_idle); }, "programs have not ended");
  nemesis_.forget_kept();
  // Unnoticed effects of the faults are noticed by then.
  run_for(world_.design.longest_timeout * 4 / 3);
  run_until(
      time_to_reconnect, [&] { return each_is(&host::is_connected); }, "a client is not connected");
  run_until(
      time_to_reconnect, [&] { return each_is(&host::uses_lists); },
      "a client is connected to a server that is not in its list");
  run_until(
      time_to_expire, [&] { return servers_.nodes_of_sessions().empty(); },
      "there are nodes of locks that no program uses");
  run_for(time_to_catch_up);
  // A program may wait until each of the locks is given back by a client that does not use it.
  const auto& design = world_.design;
  const auto locks = static_cast<int>(design.mutexes + design.shared_mutexes);
  const auto waits_for_kept = design.caching ? locks * design.longest_timeout : 0ms;
  for (auto& each : hosts_) {
    each.try_all();
    run_until(
        time_to_try + waits_for_kept, [&] { return each.is_idle(); }, "tries have not ended");
    run_for(time_to_catch_up);
  }
  // The clients are still connected: they would watch the present nodes for as long as they live.
  run_until(
      time_to_expire, [&] { return servers_.watched_entry().empty(); },
      "an entry that is gone is watched");
  for (auto& each : hosts_)
    each.close_all();
  run_until(
      time_to_close, [&] { return each_is(&host::is_done); },
      "a closed client keeps its context busy");
  if (std::any_of(hosts_.begin(), hosts_.end(), [](const host& each) { return each.is_waiting(); }))
    throw failure("a client has closed, and a handler was not called");
  for (auto& each : hosts_)
    each.end();
  run_for(world_.design.longest_timeout + ticks_to_expire);
}

void history::check_rest() {
  if (!world_.referee.empty()) throw failure("a hold is left");
  if (const auto left = servers_.left_behind(); !left.empty()) throw failure(left);
  if (const auto left = kernel_.net().left(); !left.empty()) throw failure(left);
  if (const auto left = kernel_.files().count(); left != 0)
    throw failure(text(left, " descriptors are left"));
}

} // namespace deterministic
