#include <zklock/semaphore.hpp>

#include "client/client_impl.hpp"
#include "client/lock_definition.hpp"
#include "client/lock_definitions.hpp"

#include <boost/system/system_error.hpp>

#include <memory>
#include <string>
#include <utility>

namespace zklock {

namespace {

detail::lock_definition path_of(detail::client_impl& client, std::string_view path) {
  return detail::make_lock_definition(client.core().chroot(), path, detail::lock_kind::semaphore);
}

std::shared_ptr<const detail::lock_definition> counted(detail::client_impl& client,
                                                       std::string_view path, std::int64_t limit) {
  if (limit < 1 || limit > semaphore::most_permits)
    throw boost::system::system_error(
        errc::bad_permits, "invalid limit " + std::to_string(limit) + " of the semaphore \"" +
                               path_of(client, path).given + "\": must be from 1 to " +
                               std::to_string(semaphore::most_permits));
  const auto count = static_cast<std::uint32_t>(limit);
  return client.definitions().share(
      detail::lock_definitions::name_of(path, detail::lock_kind::semaphore, count), [&] {
        auto made = path_of(client, path);
        made.limit = count;
        return made;
      });
}

std::shared_ptr<const detail::lock_definition>
counted(detail::client_impl& client, std::string_view path, const limit_node& limit) {
  return client.definitions().share(
      detail::lock_definitions::name_of(path, detail::lock_kind::semaphore, {}, limit.path), [&] {
        auto made = path_of(client, path);
        made.limit_node = detail::make_lock_definition(client.core().chroot(), limit.path).full;
        return made;
      });
}

} // namespace

semaphore::semaphore(const client& client, std::string_view path, std::int64_t limit)
    : any_lock({.client = client.state_->calls(), .path = counted(*client.state_, path, limit)}) {}

semaphore::semaphore(const client& client, std::string_view path, const limit_node& limit)
    : any_lock({.client = client.state_->calls(), .path = counted(*client.state_, path, limit)}) {}

any_lock semaphore::permits(std::int64_t count) const {
  auto many = wanted();
  many.permits = count;
  return make(std::move(many));
}

} // namespace zklock
