#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace exhaustive {

/// A kind of event. The kinds up to `foreign_crash` are bounded in number; all further kinds follow
/// from them.
enum class step : std::uint8_t {
  /// A caller acquires to write, or to read.
  acquire,
  acquire_to_read,
  /// A caller acquires two permits.
  acquire_two,
  try_acquire,
  give_up,
  downgrade,
  /// The connection is lost; only some of the messages to the client arrive.
  cut,
  /// The servers end the session; only some of the messages to the client arrive.
  expire,
  delete_by_hand,
  /// The empty directory is deleted.
  reap,
  /// The client asks the quorum whether its entries exist.
  check_entry,
  foreign_start,
  foreign_crash,
  release,
  /// The servers carry out the next request of a connection.
  take,
  /// The next message of the servers reaches a client.
  deliver,
  /// A client notices that its connection is lost.
  notice,
  /// A client connects, or hears that its session is over.
  connect,
  foreign_deliver,
  foreign_finish,
  /// The servers end the session of a client that died.
  foreign_expire,
  count_
};

/// An event, in few bytes: each stored state has an event.
struct event {
  step what = step::count_;
  /// A client, or a connection.
  std::uint8_t client = 0;
  /// An acquisition, a node, or how many messages arrive.
  std::uint8_t which = 0;
  /// Whether the session is not proven at that moment.
  bool unproven = false;
};

const char* to_string(step what) noexcept;
std::string to_string(const event& one);

/// How often each kind of event happened.
using event_counts = std::array<std::uint64_t, static_cast<std::size_t>(step::count_)>;

} // namespace exhaustive
