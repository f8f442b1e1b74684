#pragma once

#include <zklock/detail/lock_request.hpp>

#include "client/client_impl.hpp"
#include "client/lock_definition.hpp"
#include "client/lock_definitions.hpp"

#include <memory>
#include <string_view>

namespace zklock::detail {

/// Returns the request for a lock of a client, with the definition that all lock objects of the
/// lock share.
inline lock_request request_for(client_impl& client, std::string_view path, lock_kind kind) {
  return {.client = client.calls(),
          .path = client.definitions().share(lock_definitions::name_of(path, kind), [&] {
            return make_lock_definition(client.core().chroot(), path, kind);
          })};
}

} // namespace zklock::detail
