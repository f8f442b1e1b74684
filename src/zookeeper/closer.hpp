#pragma once

#include "zookeeper/executor.hpp"
#include "zookeeper/handle.hpp"

#include <functional>
#include <memory>

namespace zklock::zookeeper {

/// Ends a session on a thread of its own: the C client waits for the server's answer by blocking.
/// Where no thread can be had, the session is left to expire.
void end_session(std::unique_ptr<handle> connected) noexcept;

/// The same, and calls `done` on the strand with whether the servers have ended the session. The
/// executor has work until then. Closing the descriptor makes `done` be forgotten.
std::weak_ptr<waitable_descriptor> end_session(std::unique_ptr<handle> connected,
                                               const strand& executor,
                                               std::function<void(bool)> done);

} // namespace zklock::zookeeper
