#include <zklock/mutex.hpp>

#include "lock/client_state.hpp"
#include "lock/path.hpp"

#include <utility>

namespace zklock {

mutex::mutex(const client& client, std::string_view path)
    : state_(client.state_), path_(detail::make_lock_path(state_->chroot(), path)) {}

mutex::executor_type mutex::get_executor() const noexcept {
  return state_->get_executor();
}

std::string_view mutex::path() const noexcept {
  return path_->given;
}

void mutex::start_acquire(const std::shared_ptr<detail::client_state>& state,
                          const std::shared_ptr<const detail::lock_path>& path,
                          std::chrono::nanoseconds timeout,
                          detail::handler<detail::acquire_signature> handler) {
  state->acquire(path, timeout, std::move(handler));
}

} // namespace zklock
