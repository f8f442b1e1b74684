#pragma once

#include "client_connection.hpp"
#include "database.hpp"
#include "options.hpp"
#include "ordering.hpp"
#include "phantoms.hpp"
#include "process.hpp"
#include "refusals.hpp"
#include "testing/memory/watch_table.hpp"
#include "truth.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string_view>

namespace deterministic::servers {

/// Serves a replica's clients while the replica leads or follows: ZooKeeper's `ZooKeeperServer`
/// with its `CommitProcessor`.
///
/// Invariant: the requests of a session are answered in their order. A read waits for the session's
/// writes before it.
class server : public std::enable_shared_from_this<server> {
 public:
  using connection = std::shared_ptr<client_connection>;

  struct environment {
    int id;
    process& on;
    simulation::dice& dice;
    const ensemble_options& options;
    const database& data;
    const phantoms& kept;
    ordering& order;
    /// Numbers of requests and sessions: never used twice by a replica.
    std::uint64_t& last_number;
    refusals& refused;
    /// Connections without a credential are ended at their next request (`enforce.auth.enabled`).
    const bool& demands_authentication;
    const truth& facts;
  };

  explicit server(environment with) : environment_(with) {}

  void receive(const connection& from, std::string_view bytes);
  /// `left`: by the client, without a fault of the network.
  void closed(const connection& by, bool left);

  /// The replica has applied a committed transaction.
  void applied(const transaction& what, const memory::outcome& result);
  /// The leader has answered a sync request.
  void synced(std::uint64_t number);
  void revalidated(session_id session, bool valid);

  /// Closes all connections.
  void stop();

  std::vector<std::string> watched() const;
  std::size_t connections() const { return connections_.size(); }

 private:
  /// A request that has no reply yet.
  struct pending {
    connection from;
    memory::request what;
    /// Not 0: it waits for the leader.
    std::uint64_t number = 0;
    /// Not `ok`: it is not carried out.
    memory::code refused = memory::code::ok;
  };

  void read(const connection& from);
  void handle(const connection& from, const std::string& frame);
  void touch(const connection& from, memory::request what, std::uint64_t table);
  void handle(const connection& from, memory::request what);
  void demand(const connection& from, std::int32_t xid);
  bool is_demanded(const connection& from) const noexcept;
  void enqueue(const connection& from, memory::request what);
  void begin_session(const connection& from, const memory::connect_request& request);
  void finish_begin(const connection& of, bool valid);
  void end_session(session_id session);
  bool authenticate(const connection& from, const memory::request& what);

  std::deque<pending>* queue_with(session_id session, std::uint64_t number);
  void advance(session_id session);
  void answer_read(const pending& what);
  memory::outcome carry_out(const pending& what);
  void reply(const pending& to, const memory::outcome& result, zxid id);
  void send(const connection& to, std::string frame);
  void close(const connection& which);
  void forget(const connection& which);

  std::int64_t milliseconds_now() const;

  environment environment_;
  memory::watch_table watches_;
  std::map<memory::connection_id, connection> connections_;
  std::map<session_id, connection> by_session_;
  std::map<session_id, connection> revalidating_;
  std::map<std::uint64_t, connection> beginning_;
  std::map<session_id, std::deque<pending>> queues_;
  std::size_t in_process_ = 0;
  std::set<memory::connection_id> throttled_;
  std::uint64_t sessions_begun_ = 0;
};

} // namespace deterministic::servers
