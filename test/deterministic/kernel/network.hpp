#pragma once

#include "deterministic/kernel/connection.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace deterministic {

class process;

enum class direction { up, down, both };

/// A change of links.
struct link_change {
  direction which = direction::both;
  std::optional<bool> cut{};
  std::optional<std::pair<time_point, time_point>> delays{};
};

/// The network between the processes and the servers, and its faults. An address is "10.0.0.1:2181"
/// or "[fd00::1]:2181". In faults, an empty name means every process, and an empty address every
/// server; they hold for links that exist, and for connections made later.
class network {
 public:
  explicit network(kernel& of) noexcept : kernel_(of) {}
  ~network();

  /// A server listens. Connections to other addresses are refused.
  void listen(const std::string& address, listener& server) { listeners_[address] = &server; }
  void stop_listening(const std::string& address) { listeners_.erase(address); }

  /// Up is from the process to the server. Bytes that are sent meanwhile arrive later.
  void cut(const std::string& name, const std::string& address, direction which = direction::both) {
    change(name, address, {.which = which, .cut = true});
  }
  void heal(const std::string& name, const std::string& address,
            direction which = direction::both) {
    change(name, address, {.which = which, .cut = false});
  }

  /// The delay of each packet in a direction.
  void set_delay(const std::string& name, const std::string& address, time_point least,
                 time_point most) {
    change(name, address, {.delays = std::pair{least, most}});
  }

  /// Resets the connections: both ends notice.
  void reset(const std::string& name, const std::string& address);
  /// Closes a direction of the connections, as shutdown() does: its receiver reads an end.
  void finish(const std::string& name, const std::string& address, direction which);
  /// Resets the connections after some bytes more of each connection that is open.
  void reset_after(const std::string& name, const std::string& address, direction which,
                   std::size_t bytes);

  /// The server has lost its power: its programs are destroyed, without a call, and the clients are
  /// not told. If it listens again, it resets connections that it does not know.
  void forget(const std::string& address);

  /// The connections that are open or being opened.
  std::size_t count(const std::string& name, const std::string& address) const;
  /// Whether a client has such a connection; `left` says why a connection may have no client.
  bool has_client(const std::string& name, const std::string& address) const;
  /// Names the connections that a client has; empty without a connection. If the last packet of a
  /// client is lost in a cut, its server keeps a connection without a client.
  std::string left() const;

  // For the kernel.

  std::shared_ptr<connection> connect(socket& from, const process& client,
                                      const std::string& address);
  listener* find(const std::string& address) const;
  void kill(const process& which);
  void remove(const connection& which);

 private:
  template <class Function>
  void for_each(const std::string& name, const std::string& address, Function function);
  void change(const std::string& name, const std::string& address, const link_change& what);
  link& find_link(const std::string& name, const std::string& address);

  kernel& kernel_;
  std::map<std::string, listener*> listeners_;
  std::vector<std::unique_ptr<link>> links_;
  /// The changes of links by an empty name or address, for links that are made later.
  std::vector<std::pair<std::pair<std::string, std::string>, link_change>> changes_;
  /// The connections, in the order in which they were made.
  std::vector<std::shared_ptr<connection>> connections_;
};

} // namespace deterministic
