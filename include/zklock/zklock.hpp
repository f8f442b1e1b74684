#pragma once

#include <zklock/acquire_any.hpp>
#include <zklock/acquire_options.hpp>
#include <zklock/any_lock.hpp>
#include <zklock/client.hpp>
#include <zklock/client_options.hpp>
#include <zklock/clock.hpp>
#include <zklock/connection_state.hpp>
#include <zklock/error.hpp>
#include <zklock/fencing_token.hpp>
#include <zklock/found_lock.hpp>
#include <zklock/hold.hpp>
#include <zklock/hold_state.hpp>
#include <zklock/leader.hpp>
#include <zklock/log.hpp>
#include <zklock/multi_hold.hpp>
#include <zklock/multi_lock.hpp>
#include <zklock/mutex.hpp>
#include <zklock/observer.hpp>
#include <zklock/own_locks.hpp>
#include <zklock/owner.hpp>
#include <zklock/participant.hpp>
#include <zklock/semaphore.hpp>
#include <zklock/shared_mutex.hpp>
#include <zklock/stats.hpp>
#include <zklock/transaction.hpp>
#include <zklock/with_lock.hpp>

/// @namespace zklock
///
/// Distributed locks for C++20 programs on Boost.Asio, kept in ZooKeeper.

/// @page executors Executors and threads
///
/// Every asynchronous function is an initiating function of Boost.Asio. It takes any completion
/// token; the default is `boost::asio::deferred`.
///
/// **Start.** An operation begins when it is started, not when it is made. A deferred operation
/// that is dropped has done nothing, and its copies are operations of their own. An operation keeps
/// what it needs of the client, the lock or the hold that it was made with. These objects may be
/// moved and destroyed before it starts. An operation of a hold that is released before then ends
/// with `errc::empty_hold`. `with_lock` is a coroutine, which says itself what must live.
///
/// **Executors.** A handler runs on its associated executor. A handler without one runs on the
/// executor of the client, which `get_executor()` of the client and of its locks returns. For an
/// empty hold and for an empty list of locks there is no client: there it runs on Asio's system
/// executor. Handlers may have any executor of Asio, also `boost::asio::io_context::strand`. The
/// executor of a handler of `with_lock` or `leader` must convert to `boost::asio::any_io_executor`,
/// or be such a strand.
///
/// **When.** A handler runs as if by `boost::asio::post`: never inside the function that starts the
/// operation, and never inside a call that releases another hold. It is called exactly once,
/// whatever ends first; the class `client` says how operations end without the client's context.
///
/// **Threads.** Functions that say "Thread safety: safe" may be called on any thread. Functions
/// that a program gives to the library, `client_options::log`, `client_options::label`,
/// `acquire_options::queued` and those of `observer`, run on the client's internal strand, so on a
/// thread that runs the client's executor. The exception is `observer::acquire_started`.
///
/// **Mutexes.** A call of the library runs no function of the program: neither initiating functions
/// nor destructors of holds, locks and clients do. So the program may hold a mutex around a call
/// that its functions and handlers lock, too. There are two exceptions.
/// `observer::acquire_started` runs inside the initiating function. And the destructor of the
/// client's execution context tells the observer the ends of all waits and holds.
///
/// **Cancellation.** Operations honour the cancellation slot associated with their handler, for the
/// cancellation types that each function names.
