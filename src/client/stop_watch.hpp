#pragma once

#include "client/boot_timer.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <stop_token>

namespace zklock::detail {

class acquisition;

/// Requests a stop when the hold of an acquire is lost, or may be lost soon. Any thread.
class stop_watch final : public boot_timer {
 public:
  explicit stop_watch(const std::shared_ptr<acquisition>& own);

  std::stop_token token() const noexcept { return source_.get_token(); }
  /// Looks whether the hold is lost, and sets the timer for the next look.
  void look();
  /// Looks on the client's executor, since stop callbacks must not run inside a call.
  void expired() override;

 private:
  void destroyed() noexcept override { source_.request_stop(); }

  const std::weak_ptr<acquisition> own_;
  const boost::asio::any_io_executor executor_;
  std::stop_source source_;
};

} // namespace zklock::detail
