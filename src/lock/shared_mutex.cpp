#include <zklock/shared_mutex.hpp>

#include "client/client_impl.hpp"
#include "client/lock_definition.hpp"

#include <memory>

namespace zklock {

shared_mutex::shared_mutex(const client& client, std::string_view path)
    : any_lock({.client = client.state_,
                .path = std::make_shared<detail::lock_definition>(detail::make_lock_definition(
                    client.state_->chroot(), path, detail::lock_kind::shared))}) {}

any_lock shared_mutex::shared() const {
  auto reader = wanted();
  reader.shared = true;
  return make(std::move(reader));
}

} // namespace zklock
