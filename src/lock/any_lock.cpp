#include <zklock/any_lock.hpp>

#include "client/lock_calls.hpp"
#include "client/lock_definition.hpp"
#include "inspect/queries.hpp"

#include <chrono>
#include <utility>

namespace zklock {

any_lock::any_lock(detail::lock_request request) noexcept : request_(std::move(request)) {}

any_lock::executor_type any_lock::get_executor() const noexcept {
  return request_.client->core().executor();
}

std::string_view any_lock::path() const noexcept {
  return request_.path->given;
}

void any_lock::start_acquire(const detail::lock_request& request,
                             const detail::owned_options& options,
                             detail::handler<detail::acquire_signature> handler) {
  request.client->acquire(request, options, std::move(handler),
                          detail::observe(request, options.view().timeout.left()));
}

void any_lock::start_try_acquire(const detail::lock_request& request,
                                 detail::handler<detail::acquire_signature> handler) {
  request.client->try_acquire(request, std::move(handler),
                              detail::observe(request, std::chrono::nanoseconds::zero()));
}

void any_lock::start_participants(const detail::lock_request& request,
                                  detail::handler<detail::participants_signature> handler) {
  detail::start_participants(request, std::move(handler));
}

void any_lock::start_holders(const detail::lock_request& request,
                             detail::handler<detail::participants_signature> handler) {
  detail::start_holder_list(request, std::move(handler));
}

void any_lock::start_count_waiting(const detail::lock_request& request,
                                   detail::handler<detail::count_signature> handler) {
  detail::start_waiter_count(request, std::move(handler));
}

void any_lock::start_request_release(const detail::lock_request& request, const participant& target,
                                     detail::handler<detail::plain_signature> handler) {
  detail::start_revocation(request, target, std::move(handler));
}

void any_lock::start_break(const detail::lock_request& request,
                           const std::optional<participant>& only,
                           detail::handler<detail::count_signature> handler) {
  detail::start_breaking(request, only, std::move(handler));
}

void any_lock::start_wait_holder_changed(const detail::lock_request& request,
                                         const std::optional<participant>& known,
                                         detail::handler<detail::holder_signature> handler) {
  detail::start_holder_watch(request, known, std::move(handler));
}

} // namespace zklock
