#pragma once

#include <zklock/error.hpp>

#include "zookeeper/session.hpp"

#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace zklock::detail {

class client_core;
class client_counters;
class client_locks;
class client_session;
class query;
class session_requester;

/// The client of queries: the parts that queries use, and the list of the queries.
class query_surroundings {
 public:
  client_core& core() const noexcept { return core_; }
  client_session& session() const noexcept { return session_; }
  session_requester& requester() const noexcept { return requester_; }
  client_locks& locks() const noexcept { return locks_; }
  client_counters& counters() const noexcept { return counters_; }

  /// The query gets the events of watches on this path.
  virtual void watch(query& one, const std::string& path) = 0;
  /// The query does not get the events of watches on this path any more.
  virtual void unwatch(const query& one, const std::string& path) noexcept = 0;
  /// The query has ended, and no reply to it is outstanding. May destroy the query.
  virtual void forget(query& one) noexcept = 0;

 protected:
  query_surroundings(client_core& core, client_session& session, session_requester& requester,
                     client_locks& locks, client_counters& counters) noexcept
      : core_(core), session_(session), requester_(requester), locks_(locks), counters_(counters) {}
  ~query_surroundings() = default;

 private:
  client_core& core_;
  client_session& session_;
  session_requester& requester_;
  client_locks& locks_;
  client_counters& counters_;
};

/// An operation made of requests that belong to no queue, such as listing the participants or
/// reading a znode. Used on the client's strand only. `open_queries` keeps the query alive until it
/// has ended and no reply to it is outstanding.
///
/// If the connection is lost before the reply, the query begins anew, unless `interrupted` decides
/// otherwise. A query fails after `client_options::connect_timeout` without a connection, unless
/// the query is `lasting`.
class query : public zookeeper::receiver, public std::enable_shared_from_this<query> {
 public:
  virtual ~query();

  void fail(error_code why);

  bool is_over() const noexcept { return ended_; }

  /// The execution context is gone: completes the query if its handler runs elsewhere, and destroys
  /// the handler otherwise.
  virtual void drop() noexcept = 0;

 protected:
  explicit query(query_surroundings& around) noexcept : around_(around) {}

  /// The query has reached the strand, connected or not.
  virtual void started() {}

  /// Sends the first request. Called on each connection until the query has ended.
  virtual void begin() = 0;

  /// Whether the query waits for a connection without limit.
  virtual bool lasting() const noexcept { return false; }

  /// Whether the query watches a node of this client. The watch need not be removed: the release of
  /// the hold deletes the node.
  virtual bool watches_own() const noexcept { return false; }

  virtual void answered(zookeeper::request_tag tag, const zookeeper::reply& reply) = 0;

  /// The connection is lost. Requests in flight get no reply.
  virtual void interrupted() {}

  /// A watch has triggered on the path given to `ask_watching`. Another request may have set it.
  virtual void fired(bool deleted) { static_cast<void>(deleted); }

  /// Completes the operation with an error.
  virtual void failed(error_code why) = 0;

  /// Ends the query without completing the operation, which the caller does.
  void end() noexcept;

  /// Makes the tag of a request, and counts its reply as outstanding.
  zookeeper::request_tag ask(int what, std::uint64_t which = 0) noexcept {
    ++unanswered_;
    return {what, which};
  }

  /// Makes the tag of a request that sets a watch. `fired` is called for the watches on the path
  /// until another path is given, the query ends or the connection is lost. Then the watch is
  /// removed if no other user needs it. `absent`: the request sets the watch even without a node.
  zookeeper::request_tag ask_watching(int what, const std::string& path, zookeeper::watch_kind kind,
                                      bool absent = false);

  query_surroundings& around() const noexcept { return around_; }
  client_core& core() const noexcept { return around_.core(); }
  client_locks& locks() const noexcept { return around_.locks(); }
  zookeeper::session& session() noexcept;

 private:
  friend class open_queries;

  void on_reply(zookeeper::request_tag tag, const zookeeper::reply& reply) noexcept final;
  void unwatch() noexcept;
  void forget_if_over() noexcept;

  query_surroundings& around_;
  // Its number among the open queries; 0 before the start.
  std::uint64_t number_ = 0;
  std::optional<boost::asio::steady_timer> connect_timer_;
  std::size_t unanswered_ = 0;
  bool ended_ = false;
  std::string watched_;
  zookeeper::watch_kind watched_kind_{};
  // The request that sets the watch, until its reply.
  std::optional<int> watching_by_;
  bool watches_absent_ = false;
};

} // namespace zklock::detail
