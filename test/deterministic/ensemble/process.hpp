#pragma once

#include "deterministic/service.hpp"
#include "simulation/dice.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>

namespace deterministic::servers {

/// An operating system process: it runs, is stopped by SIGSTOP, or has crashed. While it is
/// stopped, arriving messages pile up, and timers become overdue.
///
/// Invariant: no function runs while the process is stopped or after the life it was given in.
class process {
 public:
  using timer = std::uint64_t;

  process(event_loop& loop, simulation::dice& dice) noexcept : loop_(loop), dice_(dice) {}
  process(const process&) = delete;
  process& operator=(const process&) = delete;

  time_point now() const noexcept { return loop_.now(); }
  bool is_alive() const noexcept { return alive_; }
  bool is_paused() const noexcept { return paused_; }
  /// Whether something has arrived that the process has not seen yet.
  bool has_backlog() const noexcept { return !inbox_.empty(); }
  std::uint64_t life() const noexcept { return life_; }

  /// Runs a function for something that arrives from outside: at once, or after the pause.
  void run(std::function<void()> what);
  timer after(time_point delay, std::function<void()> what) { return at(now() + delay, what); }
  timer at(time_point when, std::function<void()> what);
  void cancel(timer which) noexcept;

  void pause() noexcept { paused_ = alive_; }
  void resume();
  void crash();
  void start() noexcept { alive_ = true; }

 private:
  void drain();
  void fire(timer which);

  struct alarm {
    event_loop::timer in_loop;
    std::function<void()> what;
    bool overdue = false;
  };

  event_loop& loop_;
  simulation::dice& dice_;
  bool alive_ = true;
  bool paused_ = false;
  bool draining_ = false;
  std::uint64_t life_ = 1;
  timer last_timer_ = 0;
  std::map<timer, alarm> alarms_;
  std::deque<std::function<void()>> inbox_;
};

} // namespace deterministic::servers
