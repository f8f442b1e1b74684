// How an acquisition ends: refused, lost, released, or dropped with the execution context.

#include "client/acquisition.hpp"
#include "client/client_impl.hpp"
#include "client/lock_log.hpp"

#include <boost/asio/error.hpp>

#include <chrono>
#include <utility>

namespace zklock::detail {

void acquisition::refuse(error_code why) {
  if (current() != phase::waiting) return;
  not_granted(why);
  waiter_.post_by(client_->later(), why, {});
}

void acquisition::lose(error_code why) {
  if (current() != phase::held) return;
  hold_lost(why);
  // The program closes its client on purpose.
  if (why != make_error_code(errc::closed)) log_lost(*this, why);
  downgraded(why);
  complete_losses({}, why);
  unproven(why);
  end_queries(why);
}

void acquisition::end() {
  if (current() == phase::lost) return;
  counters_->released(std::chrono::steady_clock::now() - since);
  phase_.store(phase::ended, std::memory_order_release);
  if (observed()) observed()->released();
  downgraded(asio::error::operation_aborted);
  complete_losses(asio::error::operation_aborted, {});
  unproven(asio::error::operation_aborted);
  end_queries(asio::error::operation_aborted);
}

void acquisition::drop() noexcept {
  // Its destructor tells the end, and drops exceptions.
  if (more_) more_->observed = nullptr;
  const auto was = current();
  if (was == phase::held) hold_lost(errc::closed);
  if (was == phase::waiting) not_granted(errc::closed);
  // Destroying a handler may destroy any object, also this acquisition's other handlers.
  const auto self = shared_from_this();
  const auto release = std::exchange(release_, nullptr);
  const auto downgrade = std::exchange(downgrade_, nullptr);
  const auto losses = std::exchange(losses_, {});
  const auto proofs = std::exchange(proofs_, {});
  if (release) release->drop();
  if (downgrade) downgrade->drop();
  for (const auto& op : losses)
    op->drop();
  for (const auto& op : proofs)
    op->drop();
  waiter_.drop();
}

// It may be cancelled, or refused, before it has reached a lock.
void acquisition::not_granted(error_code why) {
  if (!counters_) count_in(client_->counters().unlabelled());
  counters_->refused(why);
  phase_.store(phase::ended, std::memory_order_release);
  if (observed()) observed()->not_granted(why);
}

void acquisition::hold_lost(error_code why) {
  counters_->lost(why, std::chrono::steady_clock::now() - since);
  lost_why_ = why;
  phase_.store(phase::lost, std::memory_order_release);
  if (observed()) observed()->lost(why);
}

void acquisition::end_queries(error_code why) {
  if (!attention_) return;
  for (const auto& each : std::exchange(attention_->queries, {}))
    if (const auto found = each.lock()) found->fail(why);
}

void acquisition::complete_losses(error_code result, error_code why) {
  for (const auto& op : std::exchange(losses_, {}))
    op->post(result, why);
}

} // namespace zklock::detail
