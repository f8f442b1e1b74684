#include "client/hold_waits.hpp"

#include "client/identity_write.hpp"

#include <boost/asio/error.hpp>

#include <utility>

namespace zklock::detail {

void hold_waits::add(const std::shared_ptr<query>& added) {
  auto& queries = some().queries;
  std::erase_if(queries, [](const auto& each) { return each.expired(); });
  queries.push_back(added);
}

void hold_waits::add(boot_timer_link body) {
  auto& bodies = some().bodies;
  std::erase_if(bodies, [](const auto& each) { return each.is_broken(); });
  bodies.push_back(std::move(body));
}

void hold_waits::cancel(const operation<error_code, error_code>& lost) {
  if (rare_ && std::erase(rare_->losses, lost) != 0)
    lost->post(boost::asio::error::operation_aborted, {});
}

void hold_waits::cancel_identity(const operation<error_code>& op) {
  if (const auto writer = rare_ ? rare_->data.writer.lock() : nullptr) writer->cancel(op);
}

void hold_waits::hurry_bodies() {
  if (!rare_) return;
  for (const auto& each : rare_->bodies)
    each.expire();
}

void hold_waits::end(error_code result, error_code why_lost) {
  if (!rare_) return;
  for (const auto& op : std::exchange(rare_->losses, {}))
    op->post(result, why_lost);
  if (why_lost) hurry_bodies();
  const auto why = result ? result : why_lost;
  for (const auto& each : std::exchange(rare_->queries, {}))
    if (const auto found = each.lock()) found->fail(why);
}

void hold_waits::begin_downgrade(operation<error_code> op) {
  some().is_downgrading = true;
  rare_->downgrade = std::move(op);
}

// The node of a reader has data versions of its own.
void hold_waits::end_downgrade(error_code result) {
  if (!rare_) return;
  rare_->is_downgrading = false;
  if (!result) {
    rare_->requests_until = 0;
    rare_->data.version = 0;
    rare_->data.kept.reset();
    rare_->data.kept_before.reset();
  }
  if (const auto op = std::exchange(rare_->downgrade, nullptr)) op->post(result);
}

void hold_waits::cancel_downgrade(const operation<error_code>& op) {
  if (!rare_ || op != rare_->downgrade) return;
  rare_->downgrade = nullptr;
  op->post(boost::asio::error::operation_aborted);
}

void hold_waits::drop(const boost::asio::execution_context& gone) noexcept {
  const auto last = std::exchange(rare_, nullptr);
  if (!last) return;
  if (last->downgrade) last->downgrade->drop();
  for (const auto& op : last->losses)
    op->drop();
  for (const auto& each : last->bodies)
    each.hold_lost_with(gone);
}

} // namespace zklock::detail
