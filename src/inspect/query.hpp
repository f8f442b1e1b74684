#pragma once

#include <zklock/error.hpp>

#include "zookeeper/session.hpp"

#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace zklock::detail {

class client_state;

/// A request for information, or a change, that is no part of a queue: who takes part, what a node
/// says. Used on the client's strand only; the client keeps it alive until it has ended and nothing
/// is on its way to it.
///
/// A connection that is lost before the answer makes it begin anew, unless `interrupted` says
/// otherwise. Where there is none for as long as `client_options::connect_timeout` it fails, unless
/// it is `lasting`.
class query : public zookeeper::receiver, public std::enable_shared_from_this<query> {
 public:
  virtual ~query();

  /// Ends it, and tells who asked.
  void fail(error_code why);

  bool is_over() const noexcept { return ended_; }

  /// The execution context is gone: ends it as far as that can be.
  virtual void drop() noexcept = 0;

 protected:
  explicit query(client_state& client) noexcept : client_(client) {}

  /// It has come to the strand, whether there is a connection or not.
  virtual void started() {}

  /// Sends the first request: now, or as soon as there is a connection, and again after each that
  /// was lost.
  virtual void begin() = 0;

  /// Whether it goes on without a connection for as long as it takes.
  virtual bool lasting() const noexcept { return false; }

  /// Whether what it watches is this client's own, and goes when it is given back: its watch need
  /// not be taken back.
  virtual bool watches_own() const noexcept { return false; }

  /// The answer to a request.
  virtual void answered(zookeeper::request_tag tag, const zookeeper::reply& reply) = 0;

  /// The connection is gone; what was asked will not be answered.
  virtual void interrupted() {}

  /// A watch fired on the path that `ask_watching` named; another request may have set it.
  virtual void fired(bool deleted) { static_cast<void>(deleted); }

  /// Tells who asked that it failed.
  virtual void failed(error_code why) = 0;

  /// It has come to its end; who asked is told by the caller.
  void end() noexcept;

  /// For each request that is sent: its answer is waited for.
  zookeeper::request_tag ask(int what, std::uint64_t which = 0) noexcept {
    ++unanswered_;
    return {what, which};
  }

  /// For a request that sets a watch. From now on, until another path is named, it ends, or the
  /// connection is lost, it hears of the watches on the path that fire; then the watch is taken
  /// back where nothing else uses it. `absent`: the watch is set also where there is no node.
  zookeeper::request_tag ask_watching(int what, const std::string& path, zookeeper::watch_kind kind,
                                      bool absent = false);

  client_state& client() const noexcept { return client_; }
  zookeeper::session& session() noexcept;

 private:
  friend class open_queries;

  void on_reply(zookeeper::request_tag tag, const zookeeper::reply& reply) noexcept final;

  client_state& client_;
  std::optional<boost::asio::steady_timer> patience_;
  std::size_t unanswered_ = 0;
  bool ended_ = false;
  std::string watched_;
  zookeeper::watch_kind watched_kind_{};
  // The request that sets the watch, until it is answered.
  std::optional<int> watching_by_;
  bool watches_absent_ = false;
};

} // namespace zklock::detail
