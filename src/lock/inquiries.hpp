#pragma once

#include "lock/inquiry.hpp"

#include <memory>
#include <string_view>
#include <vector>

namespace zklock::detail {

/// The questions of a client that are under way.
class inquiries {
 public:
  explicit inquiries(client_state& client) noexcept : client_(client) {}

  void start(std::shared_ptr<inquiry> one);

  void connected();
  void disconnected();
  void watch_fired(std::string_view path, bool deleted);
  void fail_all(error_code why);

  /// Destroys all handlers without calling them.
  void drop_all() noexcept;

 private:
  void wait(inquiry& one);
  void forget_ended();

  client_state& client_;
  std::vector<std::shared_ptr<inquiry>> open_;
};

} // namespace zklock::detail
