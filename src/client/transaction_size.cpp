#include "client/transaction_size.hpp"

#include <zklock/semaphore.hpp>

#include "client/identity.hpp"
#include "client/node_path.hpp"
#include "zookeeper/request.hpp"

#include <algorithm>

namespace zklock::detail {

std::size_t access_bytes(const client_options& options) noexcept {
  // For all: "world", "anyone".
  if (options.access.empty()) return 32;
  std::size_t sum = 0;
  for (const auto& each : options.access)
    sum += each.scheme.size() + each.id.size() + 12;
  return sum;
}

// With a long chroot a single entry may take all of the budget, but no more.
std::size_t entry_bytes_of(const lock_definition& path, const client_options& options) noexcept {
  return std::min(path.line.size() + entry_name_bytes, options.max_path_bytes);
}

// The transaction deletes the entry and creates each permit, the first permit with the identity,
// which differs between acquisitions.
std::uint32_t most_permits_of(const lock_definition& path, const client_options& options) noexcept {
  const auto entry = path.line.size() + entry_name_bytes + zookeeper::part_bytes;
  const auto permit = path.permits.size() + entry_name_bytes + zookeeper::part_bytes;
  const auto once = entry + longest_identity;
  if (once >= largest_transaction) return 0;
  const auto fit = (largest_transaction - once) / (permit + access_bytes(options));
  return static_cast<std::uint32_t>(std::min<std::size_t>(fit, semaphore::most_permits));
}

} // namespace zklock::detail
