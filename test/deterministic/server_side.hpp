#pragma once

#include "deterministic/ensemble/ensemble.hpp"
#include "deterministic/kernel/kernel.hpp"
#include "secure_front.hpp"
#include "world.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace deterministic {

/// Whether it is an entry in line or a permit: their names begin with a UUID.
inline bool is_entry(std::string_view path) {
  return path.find("/_c_") != path.npos;
}

/// Whether an entry belongs to a mutex.
inline bool is_of_mutex(std::string_view path) {
  return path.find("/mutex-") != path.npos;
}

inline std::string name_of_server(std::size_t which) {
  return text("zk", which + 1, ".example");
}

inline std::string address_of_server(std::size_t which) {
  return text("10.0.0.", which + 1, ":2181");
}

/// Whether a list has the server, by its name or by its address.
inline bool is_in_list(std::string_view list, std::size_t which) {
  return list.find(name_of_server(which)) != list.npos ||
         list.find(address_of_server(which)) != list.npos;
}

/// The ensemble of a history, at addresses of the simulated network. It tells the referee which
/// nodes are deleted, and why.
class server_side {
 public:
  server_side(world& world, kernel& kernel, std::uint64_t seed, bool printed);
  server_side(const server_side&) = delete;
  server_side& operator=(const server_side&) = delete;

  const std::vector<std::string>& addresses() const noexcept { return addresses_; }
  servers::ensemble& ensemble() noexcept { return ensemble_; }

  /// The process of a server ends, and its port is closed.
  void crash(int replica);
  /// Its machine goes off: its clients are not told, and hear nothing until it starts again.
  void lose_power(int replica);
  void restart(int replica);
  /// Whether there is a backup with the directory of all locks: a stranger could make the directory
  /// again, with an access list of its own.
  bool can_restore() const;
  /// All servers end, and have the data of the last backup when they start.
  void restore();
  /// All names are known again, at once.
  void heal_names();
  /// A name is not found, or found late.
  void spoil_name(std::size_t which, std::chrono::nanoseconds delay, int error);
  void heal();

  /// The nodes without any use once all clients have been closed; empty if there are none.
  std::string left_behind() const;
  /// The sessions and their nodes.
  std::string sessions() const;
  /// The entries and permits.
  std::vector<std::string> nodes_of_sessions() const;
  /// An entry or permit that a watch is set on; empty where there is none.
  std::string watched_entry() const;

 private:
  /// An entry that was deleted by another session.
  struct robbery {
    std::string directory;
    std::int64_t session;
    std::int64_t zxid;
    time_point when;
  };

  /// The fate of the connections of a session.
  struct connections {
    time_point connected;
    time_point turned_away;
    bool is_turned_away = false;
    /// How many connections in a row have ended so.
    int in_a_row = 0;
  };

  servers::observer observe(bool printed);
  void left(int replica, std::int64_t session, time_point at) const;
  void connected(std::int64_t session, std::chrono::milliseconds timeout);
  void turned_away(std::int64_t session);
  void restored();
  void committed(const servers::transaction& what, const servers::memory::outcome& outcome);
  void count_combined(const servers::transaction& what, const servers::memory::outcome& outcome);
  void created(const std::string& path, std::int64_t session);
  void deleted(const std::string& path, std::int64_t creator, std::int64_t by, std::int64_t zxid);
  void check_list(const std::string& path) const;
  void check_room(std::int64_t session) const;
  void check_window(const std::string& path, std::int64_t session) const;

  /// Accepts connections to a server, by TLS where clients speak it.
  void listen(std::size_t which);

  world& world_;
  kernel& kernel_;
  const std::vector<std::string> addresses_;
  servers::ensemble ensemble_;
  /// By server; empty without TLS.
  std::vector<secure_front> secured_;
  std::vector<bool> is_up_;
  bool was_restored_ = false;
  /// The sessions that have created the entries.
  std::map<std::string, std::int64_t, std::less<>> creators_;
  std::map<std::int64_t, connections> connections_;
  /// The sessions whose entries another session has deleted, by transaction.
  std::vector<robbery> robberies_;
};

} // namespace deterministic
