#pragma once

#include "client/client_impl.hpp"
#include "client/kept_entry.hpp"
#include "client/lock_definition.hpp"

#include <memory>
#include <string_view>
#include <utility>

namespace zklock::detail {

/// Makes the definition of a lock object, which keeps what its client keeps.
inline std::shared_ptr<const lock_definition> define_lock(const client_impl& client,
                                                          std::string_view path, lock_kind kind) {
  auto made = make_lock_definition(client.chroot(), path, kind);
  if (client.options().lock_cache || client.options().local_handoffs != 0)
    made.kept = std::make_shared<kept_entry>();
  return std::make_shared<lock_definition>(std::move(made));
}

} // namespace zklock::detail
