#include <zklock/mutex.hpp>

#include "lock/client_state.hpp"
#include "lock/path.hpp"

#include <memory>

namespace zklock {

mutex::mutex(const client& client, std::string_view path)
    : any_lock({.client = client.state_,
                .path = std::make_shared<detail::lock_path>(
                    detail::make_lock_path(client.state_->chroot(), path))}) {}

} // namespace zklock
