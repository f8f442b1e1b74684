#pragma once

#include "zookeeper/strand.hpp"

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/asio/wait_traits.hpp>

#include <chrono>

namespace zklock::zookeeper {

// Asio's own aliases use a type-erased executor, which allocates several times for each wait.
using waitable_timer =
    boost::asio::basic_waitable_timer<std::chrono::steady_clock,
                                      boost::asio::wait_traits<std::chrono::steady_clock>, strand>;
using waitable_descriptor = boost::asio::posix::basic_stream_descriptor<strand>;

} // namespace zklock::zookeeper
