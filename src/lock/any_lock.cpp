#include <zklock/any_lock.hpp>

#include "client/client_impl.hpp"
#include "client/lock_definition.hpp"

#include <utility>

namespace zklock {

any_lock::any_lock(detail::lock_request request) noexcept : request_(std::move(request)) {}

any_lock::executor_type any_lock::get_executor() const noexcept {
  return request_.client->get_executor();
}

std::string_view any_lock::path() const noexcept {
  return request_.path->given;
}

void any_lock::start_acquire(const detail::lock_request& request, const acquire_options& options,
                             detail::handler<detail::acquire_signature> handler) {
  request.client->acquire(request, options, std::move(handler),
                          detail::observation::start(request, options.timeout));
}

} // namespace zklock
