#pragma once

#include "message.hpp"
#include "options.hpp"
#include "process.hpp"

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace deterministic::servers {

class peer_link;

/// The network between the replicas. A cut direction loses every packet. A connection repeats its
/// packets, so it continues where the cut is healed in time.
class peer_network {
 public:
  peer_network(event_loop& loop, simulation::dice& dice, std::array<process*, replicas> processes)
      : loop_(loop), dice_(dice), processes_(processes) {}

  /// The replica's function for the first message of a connection that another replica opens.
  using acceptor = std::function<void(const std::shared_ptr<peer_link>&, const message&)>;
  void listen(int at, acceptor by) { acceptors_[static_cast<std::size_t>(at)] = std::move(by); }

  /// Opens a connection.
  std::shared_ptr<peer_link> open(int from, int to);
  /// Sends a message that is lost at a cut, and runs the function at the receiving replica.
  void send_unreliably(int from, int to, std::function<void()> arrive);

  void cut(int from, int to) { is_cut_[index(from, to)] = true; }
  void heal(int from, int to);
  bool is_cut(int from, int to) const {
    return is_cut_[index(from, to)] || is_off(from) || is_off(to);
  }
  /// The replica's machine loses its power: other replicas hear nothing of it, not even that its
  /// connections have ended, before it is on again.
  void switch_off(int which) { off_[static_cast<std::size_t>(which)] = true; }
  void switch_on(int which);
  bool is_off(int which) const { return off_[static_cast<std::size_t>(which)]; }
  /// All messages of a slow replica, in both directions, take up to `most`.
  void slow(int which, time_point most) { slow_[static_cast<std::size_t>(which)] = most; }

  time_point delay(int from, int to);
  process& at(int which) { return *processes_[static_cast<std::size_t>(which)]; }
  event_loop& loop() noexcept { return loop_; }

 private:
  static std::size_t index(int from, int to) {
    return static_cast<std::size_t>(from * replicas + to);
  }
  void resume_later(int from, int to);

  event_loop& loop_;
  simulation::dice& dice_;
  std::array<process*, replicas> processes_;
  std::array<bool, replicas * replicas> is_cut_{};
  std::array<bool, replicas> off_{};
  std::array<time_point, replicas> slow_{};
  std::array<acceptor, replicas> acceptors_{};
  std::vector<std::weak_ptr<peer_link>> links_;
};

} // namespace deterministic::servers
