#pragma once

#include <cstdint>
#include <utility>

namespace zklock::zookeeper {

/// The newest zxid that a reply to a write has shown, in all sessions of a client.
///
/// Servers can come back with older data: from a backup, or from disks that had not synced. The
/// order of zxids shows that, not a clock. A write that is sent after the reply to an earlier write
/// was read has a higher zxid, at any server: a quorum had logged the earlier write before that
/// reply, so each later leader has the earlier write and counts on from it. Hence:
///
/// - A reply to a write with a zxid that is not above the newest zxid proves that data is gone.
/// - A server that closes the connection instead of a reply to the connect request, which tells the
///   newest zxid, proves nothing: the server may be a follower that is behind, or may be starting.
///   So the rest of the servers is asked. Where no server of a round takes the client, the next
///   round conceals the newest zxid. The first request of a connection of that round is a write,
///   and the owner of the session hears of the connection only after the reply to that write. The
///   reply proves that data is gone, or the server has caught up with the client.
///
/// No zxid tells of lost data where the servers have written more than they have lost before the
/// client is connected again, or where they begin a later epoch than the client has seen. Then
/// tokens rise nevertheless, and the owner of the session finds its old nodes in a list.
class seen_writes {
 public:
  std::int64_t newest() const noexcept { return newest_; }
  void saw(std::int64_t newest) noexcept { newest_ = newest; }

  /// The zxid that the connect requests of this round tell.
  std::int64_t told() const noexcept { return conceals_ ? 0 : newest_; }
  bool conceals() const noexcept { return conceals_; }

  /// A server of this round has closed the connection instead of a reply to the connect request.
  void refused() noexcept { conceals_next_ |= newest_ != 0 && !conceals_; }
  /// The next round conceals if this round does.
  void go_on() noexcept { conceals_next_ = conceals_; }
  void begin_round() noexcept { conceals_ = std::exchange(conceals_next_, false); }

  /// Data is gone: the client begins anew.
  void forget() noexcept { *this = {}; }

 private:
  std::int64_t newest_ = 0;
  bool conceals_ = false;
  bool conceals_next_ = false;
};

} // namespace zklock::zookeeper
