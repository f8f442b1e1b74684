// How an acquisition ends: refused, lost, released, or dropped with the execution context.

#include "client/acquisition.hpp"
#include "client/client_impl.hpp"
#include "client/lock_log.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/query.hpp>

#include <chrono>
#include <utility>

namespace zklock::detail {

void acquisition::refuse(error_code why) {
  if (current() != phase::waiting) return;
  not_granted(why);
  complete(why, {});
}

void acquisition::lose(error_code why) {
  if (current() != phase::held) return;
  hold_lost(why);
  // The program closes its client on purpose.
  if (why != make_error_code(errc::closed)) log_lost(*this, why);
  downgraded(why);
  complete_losses({}, why);
  hurry_bodies();
  end_queries(why);
}

void acquisition::end() {
  if (current() == phase::lost) return;
  counters_->released(std::chrono::steady_clock::now() - since);
  phase_.store(phase::ended, std::memory_order_release);
  if (observed()) observed()->released();
  downgraded(asio::error::operation_aborted);
  complete_losses(asio::error::operation_aborted, {});
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
  const auto bodies = std::exchange(bodies_, {});
  if (release) release->drop();
  if (downgrade) downgrade->drop();
  for (const auto& op : losses)
    op->drop();
  // The context's own bodies are destroyed with it.
  const auto& context = asio::query(client_->get_executor(), asio::execution::context);
  for (const auto& each : bodies)
    if (const auto body = each.lock(); body && &body->context() != &context) body->expired();
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
