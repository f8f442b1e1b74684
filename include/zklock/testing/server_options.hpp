#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace zklock::testing {

/// How a connection is cut.
enum class cut {
  /// Connections are reset and new ones refused: a process that died on a machine that did not.
  closed,
  /// Connections stay and no byte passes: a pulled cable.
  silent,
};

/// How a server is started. The defaults suit tests: sessions can be as short as one second.
///
/// Java is looked for as `java` on the PATH and ZooKeeper's jars in /usr/share/java, where Debian's
/// package libzookeeper-java puts them. The environment variables ZKLOCK_JAVA, a program, and
/// ZKLOCK_ZOOKEEPER_JARS, a folder such as `lib` of Apache's binary archive, say otherwise.
struct server_options {
  /// ZooKeeper's unit of time: sessions expire on multiples of it.
  std::chrono::milliseconds tick_time{500};

  /// The shortest session a client can have; 0 means two ticks.
  std::chrono::milliseconds min_session_timeout{0};

  /// The longest session a client can have.
  std::chrono::milliseconds max_session_timeout{60'000};

  /// How often empty containers are looked for and deleted.
  std::chrono::milliseconds container_check_interval{60'000};

  /// In an ensemble, how many ticks a server may take to join the leader.
  int init_limit = 20;

  /// In an ensemble, after how many silent ticks a follower and its leader give each other up.
  int sync_limit = 10;

  /// How many connections a client may have; 0 for any number.
  int max_client_connections = 0;

  /// The greatest size of Java's heap, in MiB.
  std::size_t heap = 256;

  /// Where the data is kept. It is created where missing, and stays. When empty, a new folder for
  /// temporary files is used, which is removed in the end, even if the program is killed.
  std::filesystem::path data_directory{};

  /// The port on 127.0.0.1 for clients; 0 picks a free one. In an ensemble, the port of the first
  /// server; the others follow.
  std::uint16_t port = 0;

  /// How long a server may take until it answers. For an ensemble, each of its servers adds as
  /// much.
  std::chrono::milliseconds start_timeout{10'000};

  /// Further lines of the configuration file, each as `key=value`.
  std::vector<std::string> configuration{};

  /// Further system properties of Java, each as `name=value`.
  std::vector<std::string> system_properties{};

  /// Further options of Java's, each a word of its command line. Servers are made to start fast;
  /// `-XX:TieredStopAtLevel=4` makes one run fast after a while.
  std::vector<std::string> java_options{};
};

} // namespace zklock::testing
