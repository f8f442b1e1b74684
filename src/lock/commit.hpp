#pragma once

#include <zklock/hold.hpp>

namespace zklock::detail {

/// Commits writes together with a check that the hold's node exists. The hold must not be empty.
void start_commit(acquisition& held, const transaction& writes, handler<commit_signature> handler);

} // namespace zklock::detail
