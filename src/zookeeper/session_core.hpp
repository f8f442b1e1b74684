#pragma once

#include "zookeeper/backoff.hpp"
#include "zookeeper/c_client.hpp"
#include "zookeeper/connection.hpp"
#include "zookeeper/executor.hpp"
#include "zookeeper/logger.hpp"
#include "zookeeper/process.hpp"
#include "zookeeper/resolver.hpp"
#include "zookeeper/session.hpp"
#include "zookeeper/session_validity.hpp"

#include <random>
#include <vector>

namespace zklock::zookeeper {

/// Goes from one connection to the next with the session's identity.
///
/// In a round it tries all known addresses of the servers, one after the other. The servers' names
/// are looked up meanwhile: an address that is found is tried next, or at once where nothing else
/// is.
class session::core final : public std::enable_shared_from_this<core>, connection::listener {
 public:
  core(strand executor, session_options options, session_owner& owner);

  void start();
  void close(std::function<void(error_code)> done);
  void abandon() noexcept;

  /// The handle that requests go to; null while there is no connection.
  handle* library() noexcept { return connected_ ? connection_.library() : nullptr; }
  void give_up_connection() noexcept {
    if (connected_) connection_.give_up();
  }
  /// Called after each request, with the bytes of its paths and data.
  void requested(std::size_t bytes) { connection_.requested(bytes + overhead_); }

  const session_validity& validity() const noexcept { return validity_; }
  std::chrono::milliseconds timeout() const noexcept { return timeout_; }
  bool connected() const noexcept { return connected_; }
  std::int64_t id() const noexcept { return id_.client_id; }
  errc trouble() const noexcept { return trouble_; }

 private:
  void begin_round();
  void on_resolved(const std::vector<endpoint>& found);
  void try_next();
  std::chrono::milliseconds patience() const;
  void end_round();
  void retry();
  void stop() noexcept;

  void on_established() noexcept override;
  void on_answered(boot_clock::time_point sent, bool committed) noexcept override;
  void on_watch_fired(std::string_view path, watch_event event) noexcept override;
  void on_lost(loss how, std::string_view why) noexcept override;

  void log_loss(loss how, std::string_view why);
  void lost_session();
  void fail(errc why);

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
  /// How many of those that were tried are of no use, however often they are asked.
  std::size_t useless_ = 0;
  endpoint address_;

  /// More than what else may be in a request.
  std::size_t overhead_ = 512;
  clientid_t id_{};
  std::chrono::milliseconds timeout_;
  bool stopped_ = false;
  bool connected_ = false;
  std::chrono::steady_clock::time_point connected_since_;
  boot_clock::time_point attempt_begun_;
  session_validity validity_;
  errc trouble_ = errc::not_connected;
};

} // namespace zklock::zookeeper
