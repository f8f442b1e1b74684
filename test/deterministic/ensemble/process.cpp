#include "process.hpp"

#include <utility>

namespace deterministic::servers {

using namespace std::chrono_literals;

void process::run(std::function<void()> what) {
  if (!alive_) return;
  if (!paused_ && inbox_.empty()) return what();
  inbox_.push_back(std::move(what));
}

process::timer process::at(time_point when, std::function<void()> what) {
  const auto which = ++last_timer_;
  const auto in_loop = loop_.at(when, [this, which] { fire(which); });
  alarms_.emplace(which, alarm{in_loop, std::move(what)});
  return which;
}

void process::fire(timer which) {
  const auto found = alarms_.find(which);
  if (found == alarms_.end()) return;
  if (paused_) {
    found->second.overdue = true;
    return;
  }
  const auto what = std::move(found->second.what);
  alarms_.erase(found);
  what();
}

void process::cancel(timer which) noexcept {
  const auto found = alarms_.find(which);
  if (found == alarms_.end()) return;
  // Objects that the function owns may cancel other timers at its end.
  const auto cancelled = alarms_.extract(found);
  if (!cancelled.mapped().overdue) loop_.cancel(cancelled.mapped().in_loop);
}

// Threads that wait for a time and threads that read continue in any order, but all of them before
// a message could go to another process and back.
void process::resume() {
  if (!std::exchange(paused_, false)) return;
  for (auto& each : alarms_) {
    if (!std::exchange(each.second.overdue, false)) continue;
    each.second.in_loop =
        loop_.at(now() + 1ns * dice_.below(50'000), [this, which = each.first] { fire(which); });
  }
  if (!draining_) drain();
}

void process::drain() {
  draining_ = !inbox_.empty();
  if (!draining_) return;
  loop_.at(now() + 1ns * dice_.below(10'000), [this, life = life_] {
    if (life != life_) return;
    draining_ = false;
    if (paused_) return;
    const auto what = std::move(inbox_.front());
    what();
    // A crash by the function has emptied it.
    if (life != life_) return;
    inbox_.pop_front();
    drain();
  });
}

void process::crash() {
  ++life_;
  alive_ = paused_ = draining_ = false;
  const auto unread = std::exchange(inbox_, {});
  const auto cancelled = std::exchange(alarms_, {});
  for (const auto& [which, each] : cancelled)
    if (!each.overdue) loop_.cancel(each.in_loop);
}

} // namespace deterministic::servers
