#pragma once

#include "client/client_impl.hpp"
#include "client/lock_definition.hpp"
#include "client/lock_definitions.hpp"

#include <memory>
#include <string_view>

namespace zklock::detail {

/// Returns the definition that all lock objects of a lock share.
inline std::shared_ptr<const lock_definition> define_lock(client_impl& client,
                                                          std::string_view path, lock_kind kind) {
  return client.definitions().share(lock_definitions::name_of(path, kind), [&] {
    return make_lock_definition(client.chroot(), path, kind);
  });
}

} // namespace zklock::detail
