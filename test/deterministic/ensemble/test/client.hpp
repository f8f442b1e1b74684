#pragma once

#include "deterministic/ensemble/ensemble.hpp"
#include "network.hpp"
#include "zookeeper/session_validity.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace ensemble_test {

namespace servers = deterministic::servers;

/// A small client: it counts up the data of its own node, watches another client's node, and
/// checks ZooKeeper's promises to a session. It reconnects by itself.
class client {
 public:
  struct environment {
    clockwork& clock;
    simulation::dice& dice;
    servers::ensemble& to;
    const servers::ensemble_options& options;
    std::function<void(const std::string&)> fault;
  };

  client(environment with, int id, int watched);

  void start() { connect(); }
  /// Sends nothing more, and keeps its connection.
  void fall_silent() { is_silent_ = true; }
  /// Sends pings only, and no write.
  void idle() { is_idle_ = true; }
  /// Ends the connection, and opens another connection.
  void reconnect();
  /// Connects to this replica only.
  void use_only(int replica) { only_ = replica; }

  std::string path() const { return path_of(id_); }
  std::int64_t session() const noexcept { return session_; }
  bool is_connected() const noexcept { return is_open_; }
  deterministic::time_point last_sent() const noexcept { return last_sent_; }
  deterministic::time_point last_heard() const noexcept { return last_heard_; }
  /// The number of the newest write with a reply, and of the newest sent.
  std::int64_t acknowledged() const noexcept { return acknowledged_; }
  std::int64_t sent() const noexcept { return sent_; }
  std::uint64_t sessions() const noexcept { return sessions_; }
  std::uint64_t events() const noexcept { return events_; }
  /// Until when the library's rule trusts the session.
  deterministic::time_point proven_until() const;

 private:
  enum class kind { create, write, read_own, read_watched, ping, set_watches };
  struct request {
    std::int32_t xid;
    kind what;
    std::int64_t value;
    deterministic::time_point sent;
    bool watches = false;
  };

  static std::string path_of(int id) { return "/c" + std::to_string(id); }
  using boot_time = zklock::boot_clock::time_point;
  boot_time boot_now() const;

  void connect();
  void lost();
  void act();
  void receive(std::string_view bytes);
  void connected(std::string_view frame);
  void reply(std::string_view frame);
  void answered(const request& to, std::int32_t error, std::string_view body);
  void event(std::string_view body);
  void send(kind what, std::int32_t xid, std::int32_t type, const std::string& body);
  void send_create();
  void send_write();
  void send_read(kind what, bool watches);
  void set_watches();

  environment environment_;
  const int id_;
  const int watched_;
  int only_ = -1;
  bool is_silent_ = false;
  bool is_idle_ = false;
  std::shared_ptr<socket> socket_;
  std::uint64_t connection_ = 0;
  bool is_open_ = false;
  std::string input_;
  std::deque<request> requests_;
  std::int32_t xid_ = 0;

  std::int64_t session_ = 0;
  std::string password_ = std::string(16, '\0');
  std::int64_t last_zxid_ = 0;
  deterministic::time_point connect_sent_{};
  deterministic::time_point last_sent_{};
  deterministic::time_point last_heard_{};
  zklock::zookeeper::session_validity validity_;

  std::int64_t sent_ = 0;
  std::int64_t acknowledged_ = 0;
  bool has_node_ = false;
  /// The mzxid that the watch saw; nothing without a watch.
  std::optional<std::int64_t> watch_;
  std::uint64_t sessions_ = 0;
  std::uint64_t events_ = 0;
};

} // namespace ensemble_test
