#pragma once

#include <zklock/testing/server_options.hpp>

#include "testing/port_reservation.hpp"
#include "testing/reactor.hpp"
#include "testing/relay_core.hpp"

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace zklock::testing {

/// The network between the servers of an ensemble. Each ordered pair has two relays: to the
/// election port and to the quorum port. The configuration of each server names the ports of relays
/// in place of the ports of its peers.
class peer_links {
 public:
  explicit peer_links(std::size_t servers);
  ~peer_links();
  peer_links(const peer_links&) = delete;
  peer_links& operator=(const peer_links&) = delete;

  /// Returns the lines of a server's configuration with the addresses of all servers.
  std::string configuration(std::size_t of) const;

  /// Sets whether a server runs. Connections to a stopped server are refused.
  void set_running(std::size_t server, bool running);

  void cut_server(std::size_t server, cut how);
  void cut_pair(std::size_t one, std::size_t other, cut how);

  /// Delays each byte in each direction.
  void delay(relay_core::clock::duration time);

  /// Ends all cuts of a server, except cuts by `cut_server` of its peers.
  void heal(std::size_t server);

 private:
  enum class state { open, refused, silent };

  struct ports {
    port_reservation quorum;
    port_reservation election;
  };

  /// The relays from a server to a peer.
  struct link {
    std::shared_ptr<relay_core> quorum;
    std::shared_ptr<relay_core> election;
    std::optional<cut> pair_cut;
    state now = state::refused;
  };

  struct member {
    ports own;
    bool running = false;
    std::optional<cut> server_cut;
  };

  link& at(std::size_t from, std::size_t to) { return *links_[from * members_.size() + to]; }
  const link& at(std::size_t from, std::size_t to) const {
    return *links_[from * members_.size() + to];
  }
  state target_state(std::size_t from, std::size_t to) const;
  void apply();
  void delay(relay_core& one) const;

  std::shared_ptr<reactor> thread_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<member>> members_;
  std::vector<std::unique_ptr<link>> links_;
  relay_core::clock::duration delay_{};
};

} // namespace zklock::testing
