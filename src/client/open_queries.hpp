#pragma once

#include "client/query.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace zklock::detail {

/// The queries of a client that have not ended. An event reaches the queries in the order in which
/// they were started.
class open_queries final : public query_surroundings {
 public:
  open_queries(client_core& core, client_session& session, session_requester& requester,
               client_locks& locks, client_counters& counters) noexcept
      : query_surroundings(core, session, requester, locks, counters) {}

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
  void watch(query& one, const std::string& path) override { watching_.emplace(path, &one); }
  void unwatch(const query& one, const std::string& path) noexcept override;
  void forget(query& one) noexcept override;

  void wait(query& one);
  std::vector<std::shared_ptr<query>> all() const;

  std::map<std::uint64_t, std::shared_ptr<query>> open_;
  std::uint64_t last_number_ = 0;
  std::unordered_multimap<std::string, query*> watching_;
  std::optional<error_code> over_;
};

} // namespace zklock::detail
