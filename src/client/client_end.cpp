#include "client/client_end.hpp"

#include <utility>

namespace zklock::detail {

// Posted even on the strand: the log function may call `close`.
void client_end::close(operation<error_code> op) {
  if (const auto here = core_.enter()) core_.post([this, op = std::move(op)] { start_close(op); });
}

void client_end::start_close(operation<error_code> op) {
  if (session_.why_over() == errc::closed) {
    if (op) op->post(errc::closed);
    return;
  }
  const bool left = left_behind_ || owns_nodes();
  closing_ = op;
  ending_ = end_all(errc::closed);
  // If no operation waits for the close, the client may be destroyed before.
  const auto needed = op ? core_.client().lock() : nullptr;
  session_.get().close([this, weak = core_.client(), needed, left, op](error_code result) {
    // A session without nodes may live on until it expires.
    if (!left) result = {};
    if (const auto client = weak.lock()) {
      for (const auto& c : std::exchange(ending_, {}))
        c->forget(result);
      core_.drop_belongings();
    }
    if (op) op->post(result);
  });
  session_.tell_state();
}

bool client_end::owns_nodes() const noexcept {
  return session_.has_ephemerals() || lines_.locks().own_nodes();
}

// Returns the acquisitions of which a node may be left in ZooKeeper.
std::vector<std::shared_ptr<acquisition>> client_end::end_all(errc why) {
  session_.end(why);
  auto open = lines_.end_all(why);
  calls_.claims().end_all(why);
  queries_.fail_all(why);
  checks_.stop();
  return open;
}

// Servers that refuse the credentials carry out no request of the connection.
void client_end::failed(errc why) {
  const bool did_nothing = why == errc::authentication_failed && !session_.get().answered();
  left_behind_ = session_.get().id() != 0 && owns_nodes() && !did_nothing;
  for (const auto& c : end_all(why))
    c->forget(why);
  session_.tell_state();
}

void client_end::forked() {
  const auto closing = closing_.lock();
  const auto open = end_all(errc::closed);
  session_.forget_id();
  session_.get().abandon();
  for (const auto& c : open)
    c->forget(errc::closed);
  for (const auto& c : std::exchange(ending_, {}))
    c->forget(errc::closed);
  if (closing) closing->post(errc::closed);
  session_.tell_state();
}

void client_end::drop() noexcept {
  for (const auto& c : std::exchange(ending_, {}))
    c->drop();
}

} // namespace zklock::detail
