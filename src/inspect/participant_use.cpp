#include "inspect/participant_use.hpp"

#include "client/client_locks.hpp"
#include "queue/entry_name.hpp"

#include <string_view>

namespace zklock::detail {

namespace {

participant_use use_of(const client_locks& locks, std::string_view node) noexcept {
  const auto slash = node.rfind('/');
  const auto parsed = queue::parse_entry_name(node.substr(slash + 1));
  if (!parsed || !parsed->has_id || !parsed->token.caches()) return participant_use::in_use;
  if (parsed->token != locks.requester().token()) return participant_use::unknown;
  lock_in_use* const used = locks.table().find(node.substr(0, slash));
  if (!used) return participant_use::in_use;
  const auto& entries = used->entries();
  const auto own = entries.find(parsed->id);
  const bool is_cached = own != entries.end() && own->second.is == queue::entry::state::cached;
  return is_cached ? participant_use::cached : participant_use::in_use;
}

} // namespace

// Permits are never cached.
void settle_use(const client_locks& locks, std::span<participant> all) noexcept {
  for (auto& each : all)
    if (each.is_holder && each.role != participant_role::permit)
      each.use = use_of(locks, each.node);
}

} // namespace zklock::detail
