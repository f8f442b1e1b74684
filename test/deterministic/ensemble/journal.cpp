#include "journal.hpp"

#include <algorithm>
#include <utility>

namespace deterministic::servers {

using namespace std::chrono_literals;

void journal::append(entry what, std::function<void()> flushed) {
  log_.append(std::move(what));
  flush(std::move(flushed));
}

void journal::flush(std::function<void()> flushed) {
  waiters_.push_back({log_.last(), std::move(flushed)});
  if (!flushing_) begin();
}

// Mostly the latency of a solid state drive; now and then the disk is busy.
void journal::begin() {
  flushing_ = true;
  const auto kind = dice_.below(1000);
  const auto most = kind < 900 ? 800us : kind < 997 ? 6ms : 120ms;
  const auto longest = std::max<time_point>(most, slow_);
  const auto time = 100us + 1ns * dice_.below(static_cast<std::size_t>(longest.count()));
  timer_ = process_.after(time, [this, count = waiters_.size()] { finish(count); });
}

void journal::finish(std::size_t count) {
  std::vector<waiter> done(std::make_move_iterator(waiters_.begin()),
                           std::make_move_iterator(waiters_.begin() + static_cast<long>(count)));
  waiters_.erase(waiters_.begin(), waiters_.begin() + static_cast<long>(count));
  durable_ = done.back().last;
  flushing_ = false;
  if (!waiters_.empty()) begin();
  for (const auto& each : done)
    each.flushed();
}

void journal::settle() {
  if (std::exchange(flushing_, false)) process_.cancel(timer_);
  waiters_.clear();
  durable_ = log_.last();
}

void journal::crash(zxid applied) {
  const auto least = std::max(durable_, applied);
  for (auto left = dice_.below(log_.following(least).size() + 1); left > 0; --left)
    log_.truncate(log_.last() - 1);
  settle();
}

} // namespace deterministic::servers
