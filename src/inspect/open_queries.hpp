#pragma once

#include "inspect/query.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace zklock::detail {

/// The queries of a client that are under way. What concerns several of them concerns the one first
/// that was started first.
class open_queries {
 public:
  explicit open_queries(client_impl& client) noexcept : client_(client) {}

  /// Starts a query, unless it was cancelled before. The caller keeps it alive until this returns:
  /// it may end at once.
  void start(const std::shared_ptr<query>& one);

  void connected();
  void disconnected();
  void watch_fired(std::string_view path, zookeeper::watch_event event);
  /// The client is over: fails all, and those that are started from now on.
  void fail_all(error_code why);

  /// The execution context is gone: completes the queries whose handlers run elsewhere, and
  /// destroys the handlers of the others.
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
