#include <zklock/mutex.hpp>

#include "client/client_impl.hpp"
#include "client/lock_definition.hpp"

#include <memory>

namespace zklock {

mutex::mutex(const client& client, std::string_view path)
    : any_lock({.client = client.state_,
                .path = std::make_shared<detail::lock_definition>(
                    detail::make_lock_definition(client.state_->chroot(), path))}) {}

} // namespace zklock
