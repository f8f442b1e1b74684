#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace zklock::testing {

/// How connections are cut.
enum class cut {
  /// Connections are reset and new ones refused, like after the crash of a process.
  closed,
  /// Connections stay open, but no byte is forwarded, like after the failure of a cable.
  silent,
};

/// How a server treats the certificates of clients: `ssl.clientAuth`.
enum class client_certificates {
  /// The server asks for none.
  none,
  /// The server asks for a certificate, and accepts clients without a certificate.
  wanted,
  /// The server refuses clients without a certificate.
  needed,
};

/// The TLS of a server. Certificates and keys are PEM files, for example of an `authority`.
struct server_tls {
  /// The key and the certificate in one file: `certificate_files::both`.
  std::filesystem::path certificate;

  /// The authorities that sign the certificates of clients: `authority::certificate()`.
  std::filesystem::path authorities;

  /// How the server treats the certificates of clients.
  client_certificates clients = client_certificates::needed;

  /// The versions of TLS, as Java names them, separated by commas.
  std::string protocols = "TLSv1.2,TLSv1.3";
};

/// The options of a server. The defaults suit tests: session timeouts can be as short as one
/// second.
///
/// The program is `java` on the `PATH`, or that in the environment variable `ZKLOCK_JAVA`.
/// ZooKeeper's jars are those of Debian's package libzookeeper-java in `/usr/share/java`. The
/// environment variable `ZKLOCK_ZOOKEEPER_JARS` names another folder: `lib` of Apache's binary
/// archive, or `usr/share/java` of another release's package that is unpacked elsewhere. Jars that
/// such a package lacks are those of `/usr/share/java`.
struct server_options {
  /// ZooKeeper's tickTime: sessions expire on multiples of it.
  std::chrono::milliseconds tick_time{500};

  /// The shortest session timeout that a client can get; 0 means two ticks.
  std::chrono::milliseconds min_session_timeout{0};

  /// The longest session timeout that a client can get.
  std::chrono::milliseconds max_session_timeout{60'000};

  /// The interval at which the servers delete empty container nodes.
  std::chrono::milliseconds container_check_interval{60'000};

  /// In an ensemble, the time limit for a follower to connect and sync to the leader, in ticks.
  int init_limit = 20;

  /// In an ensemble, the time after which a leader and a silent follower disconnect, in ticks.
  int sync_limit = 10;

  /// The largest number of connections from one address; 0 for no limit.
  int max_client_connections = 0;

  /// The maximum size of Java's heap, in MiB.
  std::size_t heap = 256;

  /// The folder for the data, whose path is UTF-8. It is created if missing, and is not removed. If
  /// empty, a temporary folder is used, which is removed at the end, even if the program is killed.
  std::filesystem::path data_directory{};

  /// The port on 127.0.0.1 for clients; 0 selects a free port. In an ensemble, the port of the
  /// first server; the other servers have the next ones.
  std::uint16_t port = 0;

  /// The time limit for the start of a server. The limit of an ensemble is this, multiplied by the
  /// number of servers.
  std::chrono::milliseconds start_timeout{10'000};

  /// A second port for clients, with TLS: `server::secure_address()`. The server then needs Netty's
  /// jars, which Debian's package libzookeeper-java brings along. Empty: there is no such port.
  std::optional<server_tls> tls{};

  /// Additional lines of the configuration file, each as `key=value`.
  std::vector<std::string> configuration{};

  /// Additional system properties of Java, each as `name=value`.
  std::vector<std::string> system_properties{};

  /// Additional command-line options of Java. The default options make the start fast; for a high
  /// throughput, add `-XX:TieredStopAtLevel=4`.
  std::vector<std::string> java_options{};
};

} // namespace zklock::testing
