#include "client/lock_definition.hpp"

#include <zklock/detail/lock_request.hpp>
#include <zklock/error.hpp>
#include <zklock/found_lock.hpp>
#include <zklock/participant.hpp>
#include <zklock/semaphore.hpp>

#include "support/text_character.hpp"
#include "zookeeper/path_check.hpp"

#include <boost/system/system_error.hpp>

namespace zklock::detail {

namespace {

// The names of Curator's InterProcessSemaphoreV2.
constexpr std::string_view entries_below = "/locks";
constexpr std::string_view permits_below = "/leases";

const char* fault_of(std::string_view path) noexcept {
  if (path.empty()) return "must not be empty";
  if (path.front() != '/') return "must start with '/'";
  if (path.size() == 1) return "must not be the root";
  if (path.size() > longest_path) return "must not be longer than 2000 bytes";
  return zookeeper::fault_of_path(path);
}

} // namespace

lock_definition make_lock_definition(std::string_view chroot, std::string_view given,
                                     lock_kind kind) {
  if (const auto* fault = fault_of(given))
    throw boost::system::system_error(errc::bad_path,
                                      "invalid path \"" + excerpt(given) + "\": " + fault);
  lock_definition path{.given = std::string(given), .full = std::string(chroot), .kind = kind};
  path.full += given;
  path.line = path.permits = path.full;
  if (kind == lock_kind::semaphore) {
    path.line += entries_below;
    path.permits += permits_below;
  }
  return path;
}

std::string permits_beside(std::string_view line) {
  return std::string(line.substr(0, line.size() - entries_below.size())) += permits_below;
}

lock_type type_of(lock_kind kind) noexcept {
  switch (kind) {
  case lock_kind::exclusive:
    return lock_type::mutex;
  case lock_kind::shared:
    return lock_type::shared_mutex;
  case lock_kind::semaphore:
    return lock_type::semaphore;
  }
  return lock_type::unknown;
}

queue::lock_mode mode_of(const lock_request& wanted) noexcept {
  const bool possible = wanted.permits >= 1 && wanted.permits <= semaphore::most_permits;
  return {.wants = wanted.shared ? queue::role::shared : queue::role::exclusive,
          .permits = possible ? static_cast<std::uint32_t>(wanted.permits) : 0};
}

participant_role role_of(const lock_definition& lock, queue::role wants) noexcept {
  if (lock.has_permits()) return participant_role::permit;
  // In the line of an exclusive lock every entry is exclusive.
  return lock.kind == lock_kind::shared && wants == queue::role::shared
             ? participant_role::shared
             : participant_role::exclusive;
}

bool is_node_path(std::string_view path) noexcept {
  if (!path.starts_with('/')) return false;
  return path.size() == 1 || !zookeeper::fault_of_path(path);
}

} // namespace zklock::detail
