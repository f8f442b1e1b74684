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

/// The network between the servers of an ensemble: for each pair, one way and the other, two
/// relays, to the port for elections and to that for followers. Each server is told relays instead
/// of the others' ports.
class peer_links {
 public:
  explicit peer_links(std::size_t servers);
  ~peer_links();
  peer_links(const peer_links&) = delete;
  peer_links& operator=(const peer_links&) = delete;

  /// Returns the lines of a server's configuration that name all servers.
  std::string configuration(std::size_t of) const;

  /// Says whether a server runs: connections to one that does not are refused.
  void set_running(std::size_t server, bool running);

  void cut_server(std::size_t server, cut how);
  void cut_pair(std::size_t one, std::size_t other, cut how);

  /// Ends all cuts that concern a server, except those made for another one.
  void heal(std::size_t server);

 private:
  enum class state { open, refused, silent };

  struct ports {
    port_reservation quorum;
    port_reservation election;
  };

  /// What one server uses to reach another.
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
  state wanted(std::size_t from, std::size_t to) const;
  void apply();

  std::shared_ptr<reactor> thread_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<member>> members_;
  std::vector<std::unique_ptr<link>> links_;
};

} // namespace zklock::testing
