#pragma once

#include "peer_network.hpp"

#include <deque>
#include <map>

namespace deterministic::servers {

/// A connection between two replicas. Messages arrive in order, unless the connection ends before.
class peer_link : public std::enable_shared_from_this<peer_link> {
 public:
  /// Nothing: the far end has closed the connection.
  using arrived = std::optional<message>;

  peer_link(peer_network& network, int one, int other);

  bool connects(int left, int right) const noexcept {
    return (left == one_ && right == other_) || (left == other_ && right == one_);
  }
  int peer_of(int replica) const noexcept { return one_ == replica ? other_ : one_; }
  void receive(int at, std::function<void(arrived)> handler);
  void send(int from, message what) { transmit(from, std::move(what)); }
  /// Nothing arrives at this end any more. The far end hears of the close in order.
  void close(int from);
  /// The network passes packets in that direction again.
  void resume(int from);

 private:
  /// A direction.
  struct direction {
    int from = 0;
    int to = 0;
    time_point last{};
    /// Lost at the cut, to be sent again.
    std::deque<arrived> lost{};
    std::function<void(arrived)> handler{};
    bool closed = false;
  };

  direction& sent_by(int replica) noexcept { return replica == one_ ? forth_ : back_; }
  direction& received_by(int replica) noexcept { return replica == one_ ? back_ : forth_; }
  void transmit(int from, arrived what);
  void arrive(direction& in, arrived what);
  void deliver(direction& in, arrived what);

  peer_network& network_;
  const int one_;
  const int other_;
  direction forth_;
  direction back_;
};

} // namespace deterministic::servers
