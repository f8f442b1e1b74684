#include "testing/hook.hpp"

#include <zklock/testing/error.hpp>

namespace zklock::testing {

using stage = hook::state::stage;

bool hook::state::select() {
  std::lock_guard lock(mutex);
  if (now != stage::waiting) return false;
  now = stage::selected;
  return true;
}

void hook::state::fire(std::uint64_t on_connection) {
  std::lock_guard lock(mutex);
  now = stage::fired;
  connection = on_connection;
  changed.notify_all();
}

hook::hook(std::shared_ptr<state> shared) : state_(std::move(shared)) {}

bool hook::fired() const {
  std::lock_guard lock(state_->mutex);
  return state_->now == stage::fired;
}

void hook::wait(std::chrono::milliseconds limit) const {
  std::unique_lock lock(state_->mutex);
  bool ended = state_->changed.wait_for(
      lock, limit, [&] { return state_->now == stage::fired || state_->now == stage::cancelled; });
  if (!ended) throw error("the hook has not fired within " + std::to_string(limit.count()) + " ms");
  if (state_->now == stage::cancelled) throw error("the hook was cancelled");
}

bool hook::cancel() {
  std::lock_guard lock(state_->mutex);
  // Too late for a hook in `selected`: its frame is already in the queue.
  if (state_->now != stage::waiting) return state_->now != stage::cancelled;
  state_->now = stage::cancelled;
  state_->changed.notify_all();
  return false;
}

std::uint64_t hook::connection() const {
  std::lock_guard lock(state_->mutex);
  return state_->connection;
}

} // namespace zklock::testing
