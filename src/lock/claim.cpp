#include "lock/claim.hpp"

#include "lock/client_state.hpp"

#include <boost/asio/error.hpp>

#include <utility>

namespace zklock::detail {

claim::claim(std::shared_ptr<client_state> client, std::shared_ptr<const lock_path> path,
             handler<acquire_signature> handler)
    : client_(std::move(client)), path_(std::move(path)), waiter_(std::move(handler)) {}

void claim::grant(fencing_token token, const place& by) {
  token_ = token;
  by_ = by;
  phase_.store(phase::held, std::memory_order_release);
  waiter_.post_by(client_->get_executor(), {}, hold_access::make(shared_from_this()));
}

std::string claim::node() const {
  std::string path;
  append_entry_path(path, path_->full, by_.session, by_.entry, by_.label, by_.number);
  return path;
}

void claim::refuse(error_code why) {
  phase_.store(phase::ended, std::memory_order_release);
  waiter_.post_by(client_->get_executor(), why, {});
}

void claim::lose(error_code why) {
  lost_why_ = why;
  phase_.store(phase::lost, std::memory_order_release);
  complete_losses({}, why);
  unproven(why);
}

void claim::end() {
  if (current() == phase::lost) return;
  phase_.store(phase::ended, std::memory_order_release);
  complete_losses(asio::error::operation_aborted, {});
  unproven(asio::error::operation_aborted);
}

void claim::forget(error_code result) {
  forgotten_ = true;
  forgotten_result_ = result;
  if (const auto op = std::exchange(release_, nullptr)) op->post(result);
}

void claim::when_forgotten(operation<error_code> op) {
  if (forgotten_)
    op->post(forgotten_result_);
  else
    release_ = std::move(op);
}

void claim::when_lost(operation<error_code, error_code> op) {
  if (current() == phase::lost)
    op->post({}, lost_why_);
  else if (current() == phase::ended)
    op->post(asio::error::operation_aborted, {});
  else
    losses_.push_back(std::move(op));
}

void claim::when_unproven(operation<error_code> op) {
  if (current() == phase::lost)
    op->post(lost_why_);
  else if (current() == phase::ended)
    op->post(asio::error::operation_aborted);
  else
    proof_ = std::move(op);
}

void claim::unproven(error_code why) {
  intrusive::list_base_hook<auto_unlink>::unlink();
  if (const auto op = std::exchange(proof_, nullptr)) op->post(why);
}

void claim::cancel(const operation<error_code>& op) {
  if (op == proof_) return unproven(asio::error::operation_aborted);
  if (op != release_) return;
  release_ = nullptr;
  op->post(asio::error::operation_aborted);
}

void claim::cancel(const operation<error_code, error_code>& op) {
  if (std::erase(losses_, op) != 0) op->post(asio::error::operation_aborted, {});
}

void claim::drop() noexcept {
  phase_.store(phase::ended, std::memory_order_release);
  // Destroying a handler may destroy anything, this claim's other handlers among it.
  const auto self = shared_from_this();
  const auto release = std::exchange(release_, nullptr);
  const auto losses = std::exchange(losses_, {});
  const auto proof = std::exchange(proof_, nullptr);
  if (release) release->drop();
  for (const auto& op : losses)
    op->drop();
  if (proof) proof->drop();
  waiter_.drop();
}

void claim::complete_losses(error_code result, error_code why) {
  for (const auto& op : std::exchange(losses_, {}))
    op->post(result, why);
}

} // namespace zklock::detail
