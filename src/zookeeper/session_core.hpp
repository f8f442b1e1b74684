#pragma once

#include "zookeeper/connector.hpp"
#include "zookeeper/executor.hpp"
#include "zookeeper/logger.hpp"
#include "zookeeper/process.hpp"
#include "zookeeper/request_sender.hpp"
#include "zookeeper/session_options.hpp"
#include "zookeeper/session_owner.hpp"
#include "zookeeper/session_record.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::zookeeper {

/// Keeps a session alive over successive connections, and decides when the session has ended. The
/// handlers under way own it.
class session_core final : public std::enable_shared_from_this<session_core>,
                           connector::owner,
                           connection::listener,
                           receiver {
 public:
  session_core(strand executor, session_options options, session_owner& by);

  void start();
  void set_servers(std::vector<server_address> servers);
  void close(std::function<void(error_code)> done);
  void abandon() noexcept;

  request_sender& requests() noexcept { return requests_; }
  const request_sender& requests() const noexcept { return requests_; }
  const session_record& record() const noexcept { return record_; }
  bool connected() const noexcept { return connector_.is_used(); }
  errc connect_error() const noexcept { return connector_.error(); }
  std::optional<tls_stats> tls() const;

 private:
  void on_round_begins() override { record_.writes().begin_round(); }
  std::unique_ptr<handle> make_handle(const endpoint& address) override;
  void on_round_over() override;
  void on_unlisted() override;
  std::chrono::milliseconds session_timeout() const noexcept override { return record_.timeout(); }

  void on_established() noexcept override;
  void on_answered(request_label which, boot_clock::time_point sent,
                   bool committed) noexcept override;
  void on_watch_fired(std::string_view path, watch_event event) noexcept override;
  void on_rolled_back() noexcept override;
  void on_lost(loss how, std::string_view why, request_label unanswered) noexcept override;
  // The reply to the write that shows the age of the server's data.
  void on_reply(request_tag, const reply& answer) noexcept override;

  void begin_use();
  bool end_use();
  void replace_session();
  void end_session(errc why);
  void fail(errc why);
  bool is_open() const noexcept;
  void stop() noexcept;
  bool is_stopped() const noexcept { return !owner_; }

  void log_connected(bool is_new);
  void log_loss(loss how, std::string_view why, request_label unanswered);
  bool may_speak_tls(loss how) const noexcept;
  void log_rollback(const handle& shown_by) const;

  const process_mark process_;
  strand executor_;
  session_options options_;
  logger log_;
  // Null once the session is stopped.
  session_owner* owner_;
  session_record record_;
  connector connector_;
  request_sender requests_;
  std::weak_ptr<waitable_descriptor> closing_;
};

} // namespace zklock::zookeeper
