// How holds are taken back, also where memory has run out.

#include "client/client_state.hpp"

#include <utility>

namespace zklock::detail {

// Links it in front of those that were given back before. Only what finds none of the acquisition's
// own holds on their way touches its links, and the strand has let go of them by then.
void client_state::give_back(std::shared_ptr<acquisition> c) noexcept {
  if (gone()) return;
  acquisition& added = *c;
  if (added.returned.fetch_add(1, std::memory_order_acq_rel) == 0) {
    added.kept_alive = std::move(c);
    added.returned_before = returned_.load(std::memory_order_relaxed);
    while (!returned_.compare_exchange_weak(added.returned_before, &added,
                                            std::memory_order_release, std::memory_order_relaxed)) {
    }
  }
  wake();
}

void client_state::wake() noexcept {
  if (waking_.exchange(true, std::memory_order_acq_rel)) return;
  try {
    asio::dispatch(*strand_, [self = shared_from_this()]() noexcept {
      self->waking_.store(false, std::memory_order_release);
      if (!self->gone()) self->sweep();
    });
  } catch (const std::bad_alloc&) {
    waking_.store(false, std::memory_order_release);
  }
}

// In the order in which they were given back.
void client_state::sweep() noexcept {
  acquisition* last = returned_.exchange(nullptr, std::memory_order_acquire);
  acquisition* first = nullptr;
  while (last) {
    acquisition* const before = std::exchange(last->returned_before, first);
    first = std::exchange(last, before);
  }
  while (first) {
    const auto c = std::move(first->kept_alive);
    first = c->returned_before;
    for (auto holds = c->returned.exchange(0, std::memory_order_acq_rel); holds != 0; --holds)
      take_back(*c, nullptr);
  }
}

void client_state::take_back(acquisition& c, const operation<error_code>& op) {
  if (!c.unshare()) {
    // The same owner holds it still.
    if (op) op->post({});
    return;
  }
  deadlines::remove(c);
  c.end();
  if (op) c.when_forgotten(op);
  if (!c.forgotten() && c.in) c.in->release(c);
}

} // namespace zklock::detail
