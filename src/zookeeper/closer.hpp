#pragma once

#include "zookeeper/executor.hpp"
#include "zookeeper/handle.hpp"

#include <functional>
#include <memory>

namespace zklock::zookeeper {

/// Closes a session on a thread of its own, since the C client blocks until the server replies.
/// Without a thread the session is left to expire.
void close_session(std::unique_ptr<handle> connected) noexcept;

/// Closes a session like the function above, then calls `done` on the strand: true if the servers
/// have closed the session. The executor has outstanding work until then. If the returned
/// descriptor is closed first, `done` is destroyed without being called.
std::weak_ptr<waitable_descriptor> close_session(std::unique_ptr<handle> connected,
                                                 const strand& executor,
                                                 std::function<void(bool)> done);

} // namespace zklock::zookeeper
