#include "ensemble.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace deterministic::servers {

using namespace std::chrono_literals;

ensemble::ensemble(event_loop& loop, std::uint64_t seed, const ensemble_options& options,
                   observer by)
    : loop_(loop),
      dice_(seed),
      options_(options),
      truth_(options_, std::move(by)),
      processes_{std::make_unique<process>(loop, dice_), std::make_unique<process>(loop, dice_),
                 std::make_unique<process>(loop, dice_)},
      network_(loop, dice_, {processes_[0].get(), processes_[1].get(), processes_[2].get()}) {
  for (int id = 0; id != servers::replicas; ++id) {
    const auto tell = [this, id](const notification& what) {
      for (int to = 0; to != servers::replicas; ++to)
        if (to != id)
          network_.send_unreliably(id, to,
                                   [this, to, what] { replicas_[index(to)]->receive(what); });
    };
    replicas_[index(id)] = std::make_unique<replica>(
        replica::environment{id, *processes_[index(id)], dice_, options_, network_, truth_, tell});
  }
  for (int id = 0; id != servers::replicas; ++id)
    restart(id);
}

void ensemble::trace(int replica, const std::string& what) const {
  if (truth_.is_traced()) truth_.trace("replica " + std::to_string(replica) + " " + what);
}

int ensemble::leader() const {
  int result = -1;
  std::int64_t newest = 0;
  for (int id = 0; id != servers::replicas; ++id) {
    const auto epoch = replicas_[index(id)]->leading_epoch();
    if (epoch <= newest) continue;
    newest = epoch;
    result = id;
  }
  return result;
}

// ---- Faults.

void ensemble::crash(int replica) {
  soon([this, replica] { replicas_[index(replica)]->crash(false); });
}

void ensemble::lose_power(int replica) {
  soon([this, replica] { replicas_[index(replica)]->crash(true); });
}

void ensemble::restart(int replica) {
  soon([this, replica] { replicas_[index(replica)]->start(); });
}

void ensemble::restore(std::function<void()> done) {
  soon([this, done = std::move(done)] {
    for (auto& each : replicas_)
      each->crash(false);
    for (auto& each : replicas_)
      each->restore(*backup_);
    truth_.restore(*backup_);
    done();
  });
}

void ensemble::pause(int replica, std::chrono::nanoseconds time) {
  soon([this, replica, time] {
    auto& which = *processes_[index(replica)];
    which.pause();
    trace(replica, "is stopped");
    loop_.at(loop_.now() + time, [this, replica, number = ++pauses_[index(replica)]] {
      if (pauses_[index(replica)] != number) return;
      trace(replica, "continues");
      processes_[index(replica)]->resume();
    });
  });
}

void ensemble::cut(int from, int to) {
  soon([this, from, to] {
    trace(from, "is cut off from " + std::to_string(to));
    network_.cut(from, to);
  });
}

void ensemble::cut_both_ways(int one, int other) {
  cut(one, other);
  cut(other, one);
}

void ensemble::isolate(int replica) {
  for (int other = 0; other != servers::replicas; ++other)
    if (other != replica) cut_both_ways(replica, other);
}

void ensemble::heal(int from, int to) {
  soon([this, from, to] { network_.heal(from, to); });
}

void ensemble::slow(int replica, std::chrono::nanoseconds most) {
  soon([this, replica, most] {
    trace(replica, most > 0ns ? "is slow" : "is fast");
    network_.slow(replica, most);
    replicas_[index(replica)]->slow(most);
  });
}

void ensemble::garble(int replica, garbage how, std::size_t percent) {
  soon([this, replica, how, percent] { replicas_[index(replica)]->garbage().set(how, percent); });
}

void ensemble::refuse(int replica, const refusal& what) {
  soon([this, replica, what] { replicas_[index(replica)]->refuse(what); });
}

void ensemble::demand_authentication(bool demands) {
  soon([this, demands] {
    for (auto& each : replicas_)
      each->demand_authentication(demands);
  });
}

void ensemble::propose(memory::write_request what) {
  soon([this, what = std::move(what)] {
    const int which = leader();
    if (which >= 0 && !is_paused(which)) replicas_[index(which)]->propose(what);
  });
}

bool ensemble::keeps(std::string_view path) const {
  return std::any_of(replicas_.begin(), replicas_.end(),
                     [&](const auto& each) { return each->kept().hides_delete(path); });
}

void ensemble::heal_all() {
  soon([this] {
    for (int id = 0; id != servers::replicas; ++id) {
      for (int to = 0; to != servers::replicas; ++to)
        network_.heal(id, to);
      network_.slow(id, 0ns);
      replicas_[index(id)]->slow(0ns);
      replicas_[index(id)]->garbage().set(garbage::none, 0);
      replicas_[index(id)]->refuse({});
      ++pauses_[index(id)];
      processes_[index(id)]->resume();
      replicas_[index(id)]->start();
    }
  });
}

// ---- Nodes and watches that are left behind.

std::vector<std::string> ensemble::watched(int replica) const {
  const auto* service = replicas_[index(replica)]->service();
  return service == nullptr ? std::vector<std::string>() : service->watched();
}

std::size_t ensemble::connections(int replica) const {
  const auto* service = replicas_[index(replica)]->service();
  return service == nullptr ? 0 : service->connections();
}

} // namespace deterministic::servers
