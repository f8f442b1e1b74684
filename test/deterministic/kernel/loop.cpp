#include "deterministic/kernel/loop.hpp"

#include "deterministic/kernel/kernel.hpp"

#include <algorithm>

namespace deterministic {

loop::loop(kernel& of, process& owner) : kernel_(of), owner_(owner), thread_([this] { run(); }) {}

loop::~loop() {
  stop();
}

void loop::wake() noexcept {
  if (self_) self_->wake();
}

void loop::stop() {
  if (!thread_.joinable()) return;
  ended_ = true;
  wake();
  thread_.join();
  self_ = nullptr;
}

time_point loop::runs_since() const noexcept {
  if (ended_) return clock::never;
  if (!self_) return time_point{0};
  return self_->is_stalled() ? clock::never : std::max(owner_.paused_until(), self_->went_on());
}

// A turn for each handler, so that handlers of other loops come in between. A wake-up after the
// start of a turn calls for another turn.
void loop::run() {
  auto& threads = kernel_.threads();
  self_ = threads.current();
  self_->wakes_by_itself();
  while (!ended_) {
    self_->rest();
    if (context_.stopped()) context_.restart();
    running_ = true;
    const bool ran = context_.poll_one() != 0;
    running_ = false;
    if (ran) owner_.note_handlers(1);
    // A turn takes time, also where nothing is ready yet.
    auto& time = kernel_.time();
    time.advance(time.now() + time_point{1'000 + kernel_.dice().below(4'000)});
    threads.yield();
  }
}

} // namespace deterministic
