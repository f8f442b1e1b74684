// Gives back the holds that were released or destroyed, also where memory has run out.

#include "client/client_impl.hpp"

#include <utility>

namespace zklock::detail {

void client_impl::give_back(std::shared_ptr<acquisition> c) noexcept {
  const auto here = enter();
  if (!here) return c->outlive_context();
  if (c->release_kept()) return;
  returned_.add(std::move(c));
  wake();
}

void client_impl::wake() noexcept {
  if (waking_.exchange(true, std::memory_order_acq_rel)) return;
  try {
    run_on(*strand_, [self = shared_from_this()]() noexcept {
      self->waking_.store(false, std::memory_order_release);
      if (!self->gone()) self->sweep();
    });
  } catch (const std::bad_alloc&) {
    waking_.store(false, std::memory_order_release);
  }
}

void client_impl::sweep() noexcept {
  returned_.take_all([this](acquisition& c) { take_back(c.holder(), nullptr); });
}

bool client_impl::look_for_returned() {
  sweep();
  if (to_close_.exchange(false)) start_close(nullptr);
  return is_over();
}

// On its way here its entry may have been offered, so that it is not known here.
void client_impl::take_back(acquisition& c, const operation<error_code>& op) {
  if (c.release_kept()) {
    if (op) op->post({});
    return;
  }
  adopt(c);
  if (!c.unshare()) {
    // The same owner has another hold.
    if (op) op->post({});
    return;
  }
  deadlines::remove(c);
  c.end();
  if (op) c.when_forgotten(op);
  if (!c.forgotten() && c.in) c.in->release(c);
}

} // namespace zklock::detail
