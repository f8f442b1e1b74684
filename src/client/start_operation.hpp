#pragma once

#include "client/client_impl.hpp"
#include "client/operation.hpp"

#include <boost/asio/system_executor.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace zklock::detail {

/// Makes the operation of a client that a handler waits for. Where the client's execution context
/// is gone the operation ends with these results, and null is returned.
template <class... Args>
operation<Args...> make_operation(const client_impl& client, handler<void(Args...)> waiting,
                                  std::type_identity_t<Args>... when_gone) {
  if (client.gone()) {
    end_without_context(std::move(waiting), std::move(when_gone)...);
    return nullptr;
  }
  return make_recycled<stored_handler<Args...>>(std::move(waiting), client.get_executor());
}

/// Ends an operation on an empty hold with `errc::empty_hold`, and returns whether the hold is
/// empty. A hold has no acquisition, or its acquisition is marked as released. A handler without an
/// executor runs on the client's, and where there is no client on the system executor.
template <class... Results>
bool end_if_empty(const acquisition* own, handler<void(error_code, Results...)>& waiting) {
  if (own && !own->is_released()) return false;
  const error_code empty = errc::empty_hold;
  if (!own)
    stored_handler<error_code, Results...>(std::move(waiting), asio::system_executor())
        .post(empty, Results()...);
  else if (const auto op = make_operation(*own->client(), std::move(waiting), empty, Results()...))
    op->post(empty, Results()...);
  return true;
}

} // namespace zklock::detail
