#pragma once

#include "client/acquisition.hpp"
#include "client/client_core.hpp"
#include "client/operation.hpp"

#include <boost/asio/system_executor.hpp>

#include <type_traits>
#include <utility>

namespace zklock::detail {

/// Makes the operation of a client that a handler waits for, and calls a function with the
/// operation. If the client's execution context is gone, the operation ends with `when_gone`.
/// Throws only before the operation exists.
template <class... Args, class Function>
void start_operation(client_core& core, handler<void(Args...)> waiting, Function function,
                     std::type_identity_t<Args>... when_gone) {
  const auto inside = core.enter();
  if (!inside) return end_without_context(std::move(waiting), std::move(when_gone)...);
  const auto op = make_recycled<stored_handler<Args...>>(std::move(waiting), core.executor());
  [&]() noexcept { function(op); }();
}

/// Ends an operation on an empty hold with `errc::empty_hold`, and returns whether the hold is
/// empty. A hold has no acquisition, or its acquisition is marked as released. A handler without an
/// executor runs on the client's executor, or on the system executor if the hold has no client.
template <class... Results>
bool end_if_empty(acquisition* own, handler<void(error_code, Results...)>& waiting) {
  if (own && !own->release().is_marked()) return false;
  const error_code empty = errc::empty_hold;
  if (!own)
    stored_handler<error_code, Results...>(std::move(waiting), asio::system_executor())
        .post(empty, Results()...);
  else
    start_operation(
        own->core(), std::move(waiting), [&](const auto& op) { op->post(empty, Results()...); },
        empty, Results()...);
  return true;
}

} // namespace zklock::detail
