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
class open_queries {
 public:
  explicit open_queries(client_impl& client) noexcept : client_(client) {}

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
  void watch(query& one, const std::string& path);
  void unwatch(query& one) noexcept;
  void forget_if_over(query& one) noexcept;
  std::vector<std::shared_ptr<query>> all() const;

  client_impl& client_;
  std::map<std::uint64_t, std::shared_ptr<query>> open_;
  std::uint64_t last_number_ = 0;
  std::unordered_multimap<std::string, query*> watching_;
  std::optional<error_code> over_;
};

} // namespace zklock::detail
