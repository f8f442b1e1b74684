#include <zklock/shared_mutex.hpp>

#include "lock/define_lock.hpp"

namespace zklock {

shared_mutex::shared_mutex(const client& client, std::string_view path)
    : any_lock(detail::request_for(*client.state_, path, detail::lock_kind::shared)) {}

any_lock shared_mutex::shared() const {
  auto reader = wanted();
  reader.shared = true;
  return make(std::move(reader));
}

} // namespace zklock
