#pragma once

#include <zklock/acquire_any.hpp>
#include <zklock/acquire_options.hpp>
#include <zklock/any_lock.hpp>
#include <zklock/client.hpp>
#include <zklock/client_options.hpp>
#include <zklock/clock.hpp>
#include <zklock/connection_state.hpp>
#include <zklock/election.hpp>
#include <zklock/error.hpp>
#include <zklock/fencing_token.hpp>
#include <zklock/found_lock.hpp>
#include <zklock/hold.hpp>
#include <zklock/hold_state.hpp>
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
#include <zklock/tls_options.hpp>
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
/// **Start.** An operation begins when it is started, not when it is made. A dropped deferred
/// operation has done nothing, and its copies are operations of their own. The client, lock or hold
/// of an operation may be moved and destroyed before the operation starts. An operation of a hold
/// that is released before then ends with `errc::empty_hold`.
///
/// **Executors.** A handler runs on its associated executor. A handler without an executor runs on
/// the executor of the client, which `get_executor()` of the client and of its locks returns. An
/// empty hold and an empty list of locks have no client: the handler then runs on Asio's system
/// executor. Handlers may have any executor that Asio accepts, also
/// `boost::asio::io_context::strand` and a type with nothing but `execute`. If the executor has no
/// execution context, the coroutines of `with_lock` and `election` use the context of the client.
///
/// **When.** A handler runs as if by `boost::asio::post`: never inside the function that starts the
/// operation, and never inside a call that releases another hold. It is called exactly once, also
/// if the client, the lock or the hold ends first; `client` documents the end of operations without
/// the client's context. The execution context of a handler must exist until the handler has run.
/// The program may destroy that context then: the destruction waits for a thread of the client that
/// has just posted the handler. The threads of an executor without an execution context must
/// outlive the client.
///
/// **Immediate executors.** There is a single exception, with Boost 1.82 and newer: where
/// `any_lock::acquire` or `any_lock::try_acquire` is granted a cached lock at once
/// (`client_options::lock_cache`), a handler with an associated immediate executor is dispatched to
/// that executor, as by Asio's own operations. The handler may then run inside the initiating
/// function. A handler that would run inside 16 such handlers, each started by the handler before,
/// is posted instead: a loop of acquires does not let the stack grow.
///
/// **Threads.** Functions with "Thread safety: safe" may be called on any thread. Functions that a
/// program gives to the library, `client_options::log`, `client_options::label`,
/// `acquire_options::queued` and the functions of `observer`, run on the client's internal strand,
/// so on a thread that runs the client's executor. The exception is `observer::acquire_started`.
///
/// **Mutexes.** A call of the library, including initiating functions and destructors of holds,
/// locks and clients, runs no function of the program. So the program may hold a mutex around a
/// call, and lock it in its functions and handlers. There are three exceptions.
/// `observer::acquire_started` and a handler on its immediate executor run inside the initiating
/// function. The destructor of the client's execution context reports the ends of all waits and
/// holds to the observer, and stops the tokens of `hold::get_stop_token`.
///
/// **Memory.** An initiating function that has no memory for its operation throws `std::bad_alloc`:
/// the operation has not started, and its handler is destroyed without a call. Where memory runs
/// out later, the program may end by `std::terminate`.
///
/// **Cancellation.** Operations honour the cancellation slot associated with their handler, for the
/// cancellation types that each function names.
