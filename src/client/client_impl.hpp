#pragma once

#include <zklock/client_options.hpp>
#include <zklock/stats.hpp>

#include "client/acquisition.hpp"
#include "client/client_core.hpp"
#include "client/client_counters.hpp"
#include "client/client_session.hpp"
#include "client/lock_calls.hpp"
#include "client/lock_definitions.hpp"
#include "client/lock_lines.hpp"
#include "client/operation.hpp"
#include "client/query.hpp"
#include "client/session_checks.hpp"
#include "client/shutdown_service.hpp"
#include "zookeeper/session_owner.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace zklock::detail {

/// A client: puts its parts together, gives them the events of the session, and ends them. Lives as
/// long as the program's client object, a lock, a hold or an operation refers to it. Any thread,
/// except the events of the session. Invariant: a client that is over has no acquisitions and no
/// queries, and none starts any more.
class client_impl final : public context_user, zookeeper::session_owner {
 public:
  /// Throws `system_error` for a bad option.
  static std::shared_ptr<client_impl> make(asio::any_io_executor executor, client_options options);
  ~client_impl();

  client_core& core() noexcept { return core_; }
  const client_session& session() const noexcept { return session_; }
  lock_definitions& definitions() noexcept { return definitions_; }
  std::shared_ptr<lock_calls> calls() noexcept { return {shared_from_this(), &calls_}; }

  /// Throws `system_error` for a bad list.
  void set_servers(std::string_view servers);
  /// Closes the client, and completes the operation, if not null.
  void close(operation<error_code> op);
  void evict_cached(operation<error_code> op);
  stats snapshot() const;
  /// The number of cached entries that are not held.
  std::size_t cached() const noexcept;

 private:
  client_impl(const asio::any_io_executor& executor, client_options options);

  static void destroy(client_impl* client) noexcept;

  void abandon() noexcept override;
  void forked() override;

  void start_close(operation<error_code> op);
  bool owns_nodes() const noexcept;
  std::vector<std::shared_ptr<acquisition>> end_all(errc why);

  void on_connected(bool is_new, std::chrono::milliseconds timeout) noexcept override;
  void on_disconnected() noexcept override;
  void on_expired(errc why) noexcept override;
  void on_rolled_back() noexcept override { counters_.data_rollbacks.add(); }
  void on_failed(errc why) noexcept override;
  void on_watch(std::string_view path, zookeeper::watch_event event) noexcept override;
  void on_request() noexcept override { counters_.requests.add(); }

  client_core core_;
  client_session session_{core_};
  client_counters counters_;
  lock_definitions definitions_;
  lock_lines lines_{core_, session_, counters_, queries_};
  open_queries queries_{core_, session_, lines_.locks().requester(), lines_.locks(), counters_};
  session_checks checks_{core_, session_, lines_};
  lock_calls calls_{core_, session_, lines_, queries_};
  operation<error_code>::weak_type closing_;
  // Acquisitions whose releases complete when the session is closed.
  std::vector<std::shared_ptr<acquisition>> ending_;
};

} // namespace zklock::detail
