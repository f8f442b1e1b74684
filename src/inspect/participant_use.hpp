#pragma once

#include <zklock/participant.hpp>

#include <span>

namespace zklock::detail {

class client_impl;

/// Sets `participant::use` of each holder, as far as this client knows.
void settle_use(client_impl& client, std::span<participant> all) noexcept;

} // namespace zklock::detail
