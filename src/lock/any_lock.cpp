#include <zklock/any_lock.hpp>

#include "lock/client_state.hpp"
#include "lock/path.hpp"

#include <utility>

namespace zklock {

any_lock::any_lock(detail::wish wish) noexcept : wish_(std::move(wish)) {}

any_lock::executor_type any_lock::get_executor() const noexcept {
  return wish_.client->get_executor();
}

std::string_view any_lock::path() const noexcept {
  return wish_.path->given;
}

void any_lock::start_acquire(const detail::wish& wish, const acquire_options& options,
                             detail::handler<detail::acquire_signature> handler) {
  wish.client->acquire(wish, options, std::move(handler));
}

} // namespace zklock
