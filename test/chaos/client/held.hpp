#pragma once

#include "chaos/client/scene.hpp"

namespace chaos {

/// Returns a timeout: often none, now and then a timeout that is likely to pass.
zklock::acquire_options random_options(scene& here);

/// Returns how long a hold is kept: mostly some milliseconds, now and then seconds.
milliseconds random_stay(scene& here);

/// Writes that a lock is asked for. Returns the number of the operation.
std::uint64_t note_asked(scene& here, std::string_view lock, char mode, std::int64_t count,
                         const zklock::acquire_options& options);

/// Writes that an acquire has ended without a hold. A client whose credentials are refused is of no
/// further use: its waiters stop.
void note_failed(scene& here, std::uint64_t operation, zklock::error_code error);

/// Whether a hold waits for its loss. A hold that does goes through the client's strand, even if
/// the entry is cached.
enum class notice : std::uint8_t { none, of_loss };

/// Writes that the lock is granted, and that it is lost, when it is.
void note_granted(scene& here, const zklock::hold& held, std::uint64_t operation,
                  std::chrono::nanoseconds hold_limit = std::chrono::nanoseconds::max(),
                  notice wanted = notice::of_loss);

/// Acquires a lock. The hold is empty where that fails.
asio::awaitable<zklock::hold> obtain(scene& here, zklock::any_lock lock,
                                     zklock::acquire_options options, std::uint64_t operation,
                                     notice wanted = notice::of_loss);

/// Waits while the lock is held, and writes its `valid_until` every 100 ms.
asio::awaitable<void> stay(scene& here, const zklock::hold& held, std::uint64_t operation,
                           milliseconds time);

/// Releases the lock.
asio::awaitable<void> release_hold(scene& here, zklock::hold held, std::uint64_t operation);

/// Waits.
asio::awaitable<void> pause(scene& here, milliseconds time);

} // namespace chaos
