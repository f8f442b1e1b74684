#pragma once

#include "zookeeper/backoff.hpp"
#include "zookeeper/c_client.hpp"
#include "zookeeper/connection.hpp"
#include "zookeeper/cut_requests.hpp"
#include "zookeeper/executor.hpp"
#include "zookeeper/logger.hpp"
#include "zookeeper/process.hpp"
#include "zookeeper/resolver.hpp"
#include "zookeeper/seen_writes.hpp"
#include "zookeeper/session.hpp"
#include "zookeeper/session_validity.hpp"
#include "zookeeper/write_combiner.hpp"

#include <random>
#include <vector>

namespace zklock::zookeeper {

/// Opens one connection after another with the same session id.
///
/// A round tries all known addresses, one after the other. The names of the servers are resolved
/// meanwhile. A new address is tried next, or at once if no attempt is running.
class session::core final : public std::enable_shared_from_this<core>,
                            connection::listener,
                            receiver,
                            write_combiner::outlet {
 public:
  core(strand executor, session_options options, session_owner& owner);

  void start();
  void close(std::function<void(error_code)> done);
  void abandon() noexcept;

  // As the session's.
  void send(const request& what, receiver& to, request_tag tag);
  void remove_watch(const std::string& path, watch_kind kind);
  void sync(const std::string& path);
  void reject_server(std::string why);
  void reject_data(std::string shown_by);
  void give_up_connection(const char* why) noexcept override {
    if (connected_) connection_.give_up(why);
  }

  /// A session that the owner does not know of yet proves nothing of the owner's session.
  boot_clock::time_point valid_until() const noexcept {
    return known_ == id_.client_id ? validity_.until() : boot_clock::time_point::min();
  }
  const session_validity& validity() const noexcept { return validity_; }
  std::chrono::milliseconds timeout() const noexcept { return timeout_; }
  bool connected() const noexcept { return connected_; }
  std::size_t most_bytes() const noexcept override { return cuts_.most_bytes(); }
  bool answered() const noexcept { return answered_; }
  bool lists_own() const noexcept { return lists_own_ && !cuts_.may_be_unknown(list_own_label); }
  std::int64_t id() const noexcept { return id_.client_id; }
  errc connect_error() const noexcept { return connect_error_; }

 private:
  void begin_round();
  void on_resolved(const std::vector<endpoint>& found);
  void try_next();
  std::chrono::milliseconds attempt_limit() const;
  void end_round();
  void retry();

  void on_established() noexcept override;
  void on_answered(request_label which, boot_clock::time_point sent,
                   bool committed) noexcept override;
  void on_watch_fired(std::string_view path, watch_event event) noexcept override;
  void on_rolled_back() noexcept override;
  void on_lost(loss how, std::string_view why, request_label unanswered) noexcept override;
  /// The reply to the write that shows how new the data of the server is.
  void on_reply(request_tag, const reply& answer) noexcept override;
  void begin_use();

  // session_requests.cpp
  void send_now(const request& what, receiver& to, request_tag tag) override;
  bool is_delivering() const noexcept override;
  /// The handle for requests; null without a connection.
  handle* connected_handle() const noexcept {
    return connected_ ? connection_.open_handle() : nullptr;
  }
  template <class Function>
  void with_handle(Function function);
  // A turn of the executor in which writes are held back.
  struct turn {
    // The number and the size of what is held when it begins.
    std::uint64_t held;
    std::size_t size;
    // When it is sent, whatever is added.
    std::chrono::steady_clock::time_point latest;
  };
  void flush_soon() noexcept;
  void flush_behind_ready_handlers(turn now) noexcept;
  void flush_or_wait(turn now) noexcept;

  void log_loss(loss how, std::string_view why, request_label unanswered);
  bool is_stable() const;
  bool end_connection();

  // session_endings.cpp
  bool has_lost_session() const noexcept { return known_ != 0 && known_ != id_.client_id; }
  void replace_session();
  void log_rollback(const handle& shown_by) const;
  void forget_session();
  void end_session(errc why);
  void fail(errc why);
  bool is_open() const noexcept;
  void stop() noexcept;

  const process_mark process_;
  strand executor_;
  session_options options_;
  logger log_;
  session_owner* owner_;

  resolver resolver_;
  connection connection_;
  waitable_timer retry_timer_;
  std::weak_ptr<waitable_descriptor> closing_;

  std::minstd_rand random_;
  backoff backoff_;
  /// The addresses of this round.
  std::vector<endpoint> tried_;
  std::vector<endpoint> untried_;
  /// The number of tried addresses that a retry cannot make usable.
  std::size_t unusable_ = 0;
  endpoint address_;

  cut_requests cuts_;
  write_combiner combiner_;
  // The batch of held writes for which a flush was posted last.
  std::uint64_t flushed_soon_ = 0;
  /// The session to resume, or the session of the connection.
  clientid_t id_{};
  /// The session that the owner knows of; 0 for none.
  std::int64_t known_ = 0;
  seen_writes writes_;
  std::chrono::milliseconds timeout_;
  /// A granted session timeout that was logged, since it is not the timeout that was asked for.
  std::chrono::milliseconds logged_timeout_{0};
  /// No connection was stable since a server has turned the client away.
  bool turned_away_ = false;
  bool stopped_ = false;
  bool connected_ = false;
  bool answered_ = false;
  bool lists_own_ = true;
  std::chrono::steady_clock::time_point connected_since_;
  boot_clock::time_point attempt_begun_;
  session_validity validity_;
  errc connect_error_ = errc::not_connected;
};

} // namespace zklock::zookeeper
