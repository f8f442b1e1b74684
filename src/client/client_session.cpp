#include "client/client_session.hpp"

#include "client/options.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace zklock::detail {

client_session::client_session(client_core& core) noexcept
    : core_(core), gate_(*core.gate()), timeout_(core.options().session_timeout) {}

void client_session::make(zookeeper::session_owner& owner,
                          std::shared_ptr<zookeeper::rotating_tls> tls) {
  auto log = [&core = core_, weak = core_.client()](log_level level, std::string_view line) {
    if (const auto client = weak.lock()) core.log(level, std::string(line));
  };
  auto options = session_options_of(core_.options(), core_.servers().servers, std::move(log));
  options.tls = std::move(tls);
  session_ = zookeeper::session::make(core_.strand(), std::move(options), owner);
}

void client_session::refresh() noexcept {
  if (!over_) proven_until_.store(session_->valid_until(), std::memory_order_release);
}

void client_session::tell_state() {
  const auto now = state_.load();
  if (std::exchange(told_state_, now) == now) return;
  if (auto observer = core_.observer())
    core_.call_program([observer = std::move(observer), now] { observer->state_changed(now); });
}

void client_session::on_connected(bool is_new, std::chrono::milliseconds timeout) noexcept {
  timeout_.store(timeout, std::memory_order_release);
  id_.store(session_->id(), std::memory_order_release);
  state_ = is_new ? connection_state::connected : connection_state::reconnected;
}

void client_session::on_expired() noexcept {
  state_ = connection_state::lost;
  has_ephemerals_ = false;
  reset_proof();
}

void client_session::end(errc why) noexcept {
  over_ = why;
  state_ = connection_state::closed;
  reset_proof();
}

std::shared_ptr<zookeeper::session> client_session::abandon() noexcept {
  state_ = connection_state::closed;
  reset_proof();
  if (session_) session_->abandon();
  return std::exchange(session_, nullptr);
}

} // namespace zklock::detail
