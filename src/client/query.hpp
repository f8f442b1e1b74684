#pragma once

#include <zklock/error.hpp>

#include "zookeeper/session.hpp"

#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace zklock::detail {

class client_core;
class client_counters;
class client_locks;
class client_session;
class query;
class session_requester;

/// The queries of a client that have not ended, and the parts of the client that queries use. An
/// event reaches the queries in the order in which they were started. Used on the client's strand
/// only.
class open_queries {
 public:
  open_queries(client_core& core, client_session& session, session_requester& requester,
               client_locks& locks, client_counters& counters) noexcept
      : core_(core), session_(session), requester_(requester), locks_(locks), counters_(counters) {}

  client_core& core() const noexcept { return core_; }
  client_session& session() const noexcept { return session_; }
  client_locks& locks() const noexcept { return locks_; }
  client_counters& counters() const noexcept { return counters_; }

  /// Starts a query, unless it was cancelled before. The caller keeps the query alive during the
  /// call, since the query may end at once.
  void start(const std::shared_ptr<query>& one);

  void connected();
  void disconnected();
  void watch_fired(std::string_view path, zookeeper::watch_event event);
  /// The client is over: fails all queries, and each query that is started later.
  void fail_all(error_code why);
  /// The execution context is gone: drops all queries.
  void drop_all() noexcept;

 private:
  friend class query;

  void wait(query& one);
  void unwatch(const query& one, const std::string& path) noexcept;
  void forget(query& one) noexcept;
  std::vector<std::shared_ptr<query>> all() const;

  client_core& core_;
  client_session& session_;
  session_requester& requester_;
  client_locks& locks_;
  client_counters& counters_;
  std::map<std::uint64_t, std::shared_ptr<query>> open_;
  std::uint64_t last_number_ = 0;
  // The queries that watch a path.
  std::unordered_multimap<std::string, query*> watching_;
  std::optional<error_code> over_;
};

/// An operation made of requests that belong to no queue. If the connection is lost before the
/// reply, the query begins anew, unless `interrupted` decides otherwise. Used on the client's
/// strand only. `open_queries` owns the query until the query has ended and no reply is
/// outstanding.
class query : public zookeeper::receiver, public std::enable_shared_from_this<query> {
 public:
  virtual ~query();

  void fail(error_code why);

  bool is_over() const noexcept { return ended_; }

  /// The execution context is gone: completes the query if its handler runs elsewhere, and destroys
  /// the handler otherwise.
  virtual void drop() noexcept = 0;

 protected:
  explicit query(open_queries& all) noexcept : all_(all) {}

  /// The query has reached the strand, connected or not.
  virtual void started() {}

  /// Sends the first request. Called on each connection until the query has ended.
  virtual void begin() = 0;

  /// Whether the query waits for a connection for longer than `client_options::connect_timeout`.
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

  client_core& core() const noexcept { return all_.core(); }
  client_locks& locks() const noexcept { return all_.locks(); }
  open_queries& queries() const noexcept { return all_; }
  zookeeper::session& session() noexcept;

 private:
  friend class open_queries;

  void on_reply(zookeeper::request_tag tag, const zookeeper::reply& reply) noexcept final;
  void unwatch() noexcept;
  void forget_if_over() noexcept;

  open_queries& all_;
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
