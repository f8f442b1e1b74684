#pragma once

#include <zklock/testing/authority.hpp>
#include <zklock/testing/server_options.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chaos {

using std::chrono::milliseconds;

/// Three servers, and the network between them and the client processes. Servers and clients are
/// given by index.
///
/// Thread safety: safe.
class cluster {
 public:
  static constexpr std::size_t servers = 3;
  static constexpr milliseconds tick{1'000};
  /// The longest time until a server answers, serves or leads. The machine may be busy.
  static constexpr milliseconds start_limit{120'000};

  virtual ~cluster() = default;

  cluster(const cluster&) = delete;
  cluster& operator=(const cluster&) = delete;

  /// Returns whether a client process connects by TLS. Of the four C++ processes, the third has
  /// neither cached locks nor hand-overs, and the fourth has both.
  static constexpr bool uses_tls(std::size_t client) { return client == 2 || client == 3; }

  /// Returns the files of the authority, and of the certificate and the key of a client by TLS.
  std::vector<std::string> client_certificate() const {
    return {authority_.certificate().string(), client_certificate_.both.string()};
  }

  /// Returns the servers' addresses as a client process uses them.
  virtual std::string addresses_for(std::size_t client) const = 0;

  /// Returns the command that runs another command where a client process belongs.
  virtual std::vector<std::string> command_for(std::size_t client,
                                               std::vector<std::string> command) const = 0;

  /// Returns the address of a server that no fault disturbs while the server runs.
  virtual std::string direct_address(std::size_t server) const = 0;

  virtual void start(std::size_t server) = 0;
  virtual void stop(std::size_t server) = 0;
  virtual void kill(std::size_t server) = 0;
  virtual void pause(std::size_t server) = 0;
  virtual void resume(std::size_t server) = 0;

  virtual void cut_from_peers(std::size_t server, zklock::testing::cut how) = 0;
  virtual void cut_from_clients(std::size_t server, zklock::testing::cut how) = 0;
  virtual void cut_link(std::size_t one, std::size_t other, zklock::testing::cut how) = 0;
  /// Delays the packets of the server, to clients at least, by about `delay`.
  virtual void slow_down(std::size_t server, milliseconds delay) = 0;
  virtual void heal_server(std::size_t server) = 0;

  virtual void cut_client(std::size_t client, zklock::testing::cut how) = 0;
  /// Delays all that a client process sends.
  virtual void slow_down_client(std::size_t client, milliseconds delay) = 0;
  virtual void heal_client(std::size_t client) = 0;

  /// Blocks until all servers serve clients. Throws after a minute.
  virtual void wait_until_serving() = 0;

  /// Returns the server that leads; nothing while there is none.
  std::optional<std::size_t> leader() const;

  /// Blocks until a server leads, and returns it; nothing after a minute.
  std::optional<std::size_t> wait_for_leader() const;

  /// Returns whether all servers serve clients.
  bool all_serve() const;

  /// How long a server that serves may need until all that it has received is on its disk.
  static constexpr std::chrono::seconds writing{2};

  /// Blocks until all servers serve clients, and all received writes are on the disks. Throws after
  /// some time.
  ///
  /// A server that is stopped while it catches up with the leader can make ZooKeeper 3.8.0 lose
  /// commits (ZOOKEEPER-4643, ZOOKEEPER-4646). It serves before all received writes are on its
  /// disk.
  void settle();

  /// Returns the reply of a server to a four-letter word. Throws without a reply.
  std::string ask(std::size_t server, std::string_view word) const;

  /// Ends a session at the leader.
  void expire(std::int64_t session) const;

  /// Whether servers that start from now on serve only clients that have shown a credential.
  void demand_authentication(bool demanded) const;

  /// Returns the folder in which a server keeps its data.
  std::filesystem::path data_of(std::size_t server) const;
  std::array<std::filesystem::path, servers> data_of_all() const {
    return {data_of(0), data_of(1), data_of(2)};
  }

 protected:
  explicit cluster(std::filesystem::path folder);

  /// Returns the options of the servers.
  zklock::testing::server_options server_options() const;

 private:
  const std::filesystem::path folder_;
  zklock::testing::authority authority_;
  const zklock::testing::certificate_files server_certificate_;
  const zklock::testing::certificate_files client_certificate_;
};

/// Servers behind relays on the loopback interface.
std::unique_ptr<cluster> make_relayed_cluster(const std::filesystem::path& folder,
                                              std::size_t clients);

/// Servers and client processes in network namespaces. This process must have left its own.
std::unique_ptr<cluster> make_namespaced_cluster(const std::filesystem::path& folder,
                                                 std::size_t clients);

} // namespace chaos
