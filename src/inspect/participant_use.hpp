#pragma once

#include <zklock/participant.hpp>

#include <span>

namespace zklock::detail {

class client_locks;

/// Sets `participant::use` of each holder, as far as this client knows.
void settle_use(const client_locks& locks, std::span<participant> all) noexcept;

} // namespace zklock::detail
