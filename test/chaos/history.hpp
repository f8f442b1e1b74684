#pragma once

#include <zklock/clock.hpp>
#include <zklock/fencing_token.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chaos {

/// Nanoseconds of CLOCK_BOOTTIME, the same clock in all processes.
using nanoseconds = std::int64_t;

/// Returns the present time.
inline nanoseconds boot_time() {
  return zklock::boot_clock::now().time_since_epoch().count();
}

inline constexpr nanoseconds never = std::numeric_limits<nanoseconds>::max();

inline constexpr nanoseconds second = 1'000'000'000;

/// How a lock is held: alone, with other readers, or as permits.
enum class mode : char { exclusive = 'x', shared = 's', permits = 'p' };

/// An acquire and its hold.
struct operation {
  std::string lock;
  mode kind = mode::exclusive;
  std::int64_t count = 1;
  /// -1 without a timeout.
  std::int64_t timeout_ms = -1;
  nanoseconds asked = never;
  nanoseconds granted = never;
  zklock::fencing_token token{};
  /// The latest time until which the lock is certainly held: a `valid_until` of zklock, or the time
  /// that kazoo_client.py has proved. Nothing if that is not known.
  std::optional<nanoseconds> certain_until{};
  /// Whether it is the hold of a body that is cancelled in time, on the loop of its client or on
  /// another loop.
  bool is_of_body = false;
  bool is_elsewhere = false;
  /// When the limit of holding ends.
  nanoseconds limit_end = never;
  std::int64_t session = 0;
  std::string node;
  nanoseconds downgrade_begun = never;
  nanoseconds downgraded = never;
  nanoseconds lost = never;
  nanoseconds release_begun = never;
  nanoseconds released = never;
  nanoseconds failed = never;
  std::string error;
};

/// An element that a process added to a set, or tried to.
struct addition {
  std::string set;
  std::string element;
};

/// A commit that was acknowledged, or whose outcome is unknown.
struct commit {
  std::string path;
  nanoseconds time = never;
};

/// A line that the client has logged.
struct message {
  std::string text;
  nanoseconds time = never;
};

/// How the message of each connection begins.
inline constexpr std::string_view connected_text = "connected to ";

/// Returns the number in hexadecimal in a field of a message; 0 without the field.
std::int64_t field_of(std::string_view message, std::string_view name);

/// The log of a process.
struct history {
  std::string process;
  /// Whether the process was killed: operations may be open.
  bool killed = false;
  /// Whether the process connects by TLS.
  bool tls = false;
  std::map<std::uint64_t, operation> operations;
  std::vector<addition> fenced;
  std::vector<addition> unfenced;
  std::vector<addition> counted;
  std::vector<addition> counted_unchecked;
  std::uint64_t refused = 0;
  std::vector<commit> committed;
  std::vector<commit> unknown_commits;
  /// Commits that were certainly not carried out.
  std::vector<std::string> not_committed;
  std::vector<message> messages;
  /// Lines that make no sense, without a last line that is cut off.
  std::vector<std::string> bad_lines;
};

/// Reads a log. Each line is a letter, a time, the number of an operation, and its details:
///
///     A lock mode count timeout        asked; the timeout in ms, -1 for none
///     G transaction turn until session node    granted, and certainly held until; - where that
///                                              is not known
///     B loop                           a body has it, and is cancelled before another hold begins;
///                                      0 on the loop of its client, 1 on another loop
///     T time                           when the limit of holding ends
///     V until                          later than the grant's
///     w, W                             the downgrade begins, is done
///     L reason                         the hold is lost
///     R until                          the release begins
///     D error                          the release is done
///     E error                          ended without a hold
///     F set element, U set element     added to the fenced set, to the set without a fence
///     X                                the storage refused the token
///     N file, n file                   counted in a file; N: owns_lock() was true before that
///     K node, k node error, u node     committed; not committed; of unknown outcome
///     M text                           a line that the client logs; the operation is 0
history read_history(std::istream& in, std::string process);

} // namespace chaos
