#pragma once

#include "zookeeper/handle.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/strand.hpp>

#include <functional>
#include <memory>

namespace zklock::zookeeper {

/// Must be called before a session is made: the program waits for the threads that end sessions
/// after it has destroyed static objects that were made later.
void expect_sessions();

/// Ends a session on a thread of its own: the C client waits for the server's answer by blocking.
/// Where no thread can be had, the session is left to expire.
void end_session(std::unique_ptr<handle> connected) noexcept;

/// The same, and calls `done` on the strand with whether the servers have ended the session. The
/// executor has work until then. Closing the descriptor makes `done` be forgotten.
std::weak_ptr<boost::asio::posix::stream_descriptor>
end_session(std::unique_ptr<handle> connected,
            const boost::asio::strand<boost::asio::any_io_executor>& executor,
            std::function<void(bool)> done);

} // namespace zklock::zookeeper
