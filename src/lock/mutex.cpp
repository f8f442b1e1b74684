#include <zklock/mutex.hpp>

#include "lock/define_lock.hpp"

namespace zklock {

mutex::mutex(const client& client, std::string_view path)
    : any_lock(detail::request_for(*client.state_, path, detail::lock_kind::exclusive)) {}

} // namespace zklock
