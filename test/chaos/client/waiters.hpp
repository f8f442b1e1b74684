#pragma once

#include "chaos/client/scene.hpp"

namespace chaos {

/// Each of these waiters runs until the process is told to stop.

/// Adds to a set under a mutex, to its fenced twin, and counts in a file without any protection.
asio::awaitable<void> add_to_sets(scene& here, std::size_t lock);

/// Adds to sets under the lock of this process, several times in a row, and now and then under the
/// lock of another process.
asio::awaitable<void> use_own_lock(scene& here);

/// Reads or writes; some writers become readers.
asio::awaitable<void> read_and_write(scene& here, std::size_t lock);

/// Takes up to three permits at once.
asio::awaitable<void> take_permits(scene& here, zklock::semaphore guard);

/// Takes permits, and changes the limit of the semaphore that keeps it in a znode.
asio::awaitable<void> change_limit(scene& here);

/// Commits znodes under a mutex.
asio::awaitable<void> commit_znodes(scene& here, std::size_t lock);

/// Takes two locks at once, in any order.
asio::awaitable<void> take_several(scene& here);

/// Takes the first of several locks that is granted.
asio::awaitable<void> take_any(scene& here);

/// Runs bodies with `with_lock`; some of them acquire their lock once more.
asio::awaitable<void> run_bodies(scene& here, std::size_t lock);

/// Stands for election.
asio::awaitable<void> lead(scene& here);

} // namespace chaos
