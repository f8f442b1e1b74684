#pragma once

#include <zklock/detail/build_settings.hpp>

#include <boost/asio/detail/config.hpp>
#include <boost/asio/version.hpp>

namespace zklock::detail {

// The parts of Asio's configuration that select its services and the layout of its objects. The
// program owns the execution context, and the library uses it. With different configurations the
// library would use another reactor, which never runs.
namespace asio_build {

template <int Version>
struct version;

struct epoll;
struct io_uring;
struct select;
#if defined(BOOST_ASIO_HAS_IO_URING_AS_DEFAULT)
using reactor = io_uring;
#elif defined(BOOST_ASIO_HAS_EPOLL)
using reactor = epoll;
#else
using reactor = select;
#endif

struct timerfd;
struct no_timerfd;
#if defined(BOOST_ASIO_HAS_TIMERFD)
using timers = timerfd;
#else
using timers = no_timerfd;
#endif

struct eventfd;
struct no_eventfd;
#if defined(BOOST_ASIO_HAS_EVENTFD)
using interrupter = eventfd;
#else
using interrupter = no_eventfd;
#endif

struct threads;
struct no_threads;
#if defined(BOOST_ASIO_HAS_THREADS)
using threading = threads;
#else
using threading = no_threads;
#endif

struct handler_tracking;
struct no_handler_tracking;
#if defined(BOOST_ASIO_ENABLE_HANDLER_TRACKING) || defined(BOOST_ASIO_CUSTOM_HANDLER_TRACKING)
using tracking = handler_tracking;
#else
using tracking = no_handler_tracking;
#endif

struct rtti;
struct no_rtti;
#if defined(BOOST_ASIO_NO_TYPEID)
using service_keys = no_rtti;
#else
using service_keys = rtti;
#endif

} // namespace asio_build

/// The settings that a program that shares its execution context must have.
using asio_settings =
    build_settings::with<asio_build::version<BOOST_ASIO_VERSION>, asio_build::reactor,
                         asio_build::timers, asio_build::interrupter, asio_build::threading,
                         asio_build::tracking, asio_build::service_keys>;

} // namespace zklock::detail
