#include <zklock/client.hpp>

#include "client/client_impl.hpp"
#include "client/start_operation.hpp"
#include "inspect/queries.hpp"

#include <utility>

namespace zklock {

client::client(boost::asio::any_io_executor executor, client_options options, detail::asio_settings)
    : state_(detail::client_impl::make(std::move(executor), std::move(options))) {}

client& client::operator=(client&& other) noexcept {
  client old(std::move(*this));
  state_ = std::move(other.state_);
  return *this;
}

client::~client() {
  if (state_) state_->close(nullptr);
}

void client::set_servers(std::string_view servers) {
  state_->set_servers(servers);
}

client::executor_type client::get_executor() const noexcept {
  return state_->core().executor();
}

bool client::connected() const noexcept {
  return state_->session().connected();
}

connection_state client::state() const noexcept {
  return state_->session().state();
}

stats client::stats() const {
  return state_->snapshot();
}

std::size_t client::cached() const noexcept {
  return state_->cached();
}

std::int64_t client::session_id() const noexcept {
  return state_->session().id();
}

std::chrono::milliseconds client::session_timeout() const noexcept {
  return state_->session().timeout();
}

void client::start_evict_cached(const std::shared_ptr<detail::client_impl>& state,
                                detail::handler<detail::plain_signature> handler) {
  detail::start_operation(
      state->core(), std::move(handler), [&](const auto& op) { state->evict_cached(op); },
      errc::closed);
}

void client::start_close(const std::shared_ptr<detail::client_impl>& state,
                         detail::handler<detail::plain_signature> handler) {
  detail::start_operation(
      state->core(), std::move(handler), [&](const auto& op) { state->close(op); }, errc::closed);
}

void client::start_find_locks(const std::shared_ptr<detail::client_impl>& state,
                              const std::string& root, std::size_t levels,
                              detail::handler<detail::found_locks_signature> handler) {
  detail::start_lock_search(state->calls(), root, levels, std::move(handler));
}

void client::start_held_locks(const std::shared_ptr<detail::client_impl>& state,
                              detail::handler<detail::held_locks_signature> handler) {
  detail::start_held_locks(state->calls(), std::move(handler));
}

void client::start_awaited_locks(const std::shared_ptr<detail::client_impl>& state,
                                 detail::handler<detail::awaited_locks_signature> handler) {
  detail::start_awaited_locks(state->calls(), std::move(handler));
}

} // namespace zklock
