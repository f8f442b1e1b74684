#include "client/client_core.hpp"

#include "client/client_executor.hpp"
#include "client/operation.hpp"

#include <boost/asio/execution/context.hpp>
#include <boost/asio/query.hpp>

namespace zklock::detail {

client_core::client_core(const boost::asio::any_io_executor& executor, client_options options)
    : executor_(client_executor::of(executor)),
      later_(never_blocking(executor_)),
      options_(std::move(options)),
      observer_(std::move(options_.observer)),
      servers_(zookeeper::parse_server_list(options_.servers)),
      guard_(context_guard::of(context())),
      strand_(executor_) {}

client_timer::client_timer(client_core& core) : core_(core), timer_(core.strand()) {
  core.timers_.push_back(*this);
}

void client_core::drop_strand() noexcept {
  for (auto& each : timers_)
    each.timer_.reset();
  strand_.reset();
}

boost::asio::execution_context& client_core::context() const noexcept {
  return boost::asio::query(executor_, boost::asio::execution::context);
}

void client_core::log(log_level level, std::string line) {
  call_program([this, level, line = std::move(line)] {
    if (options_.log) options_.log(level, line);
  });
}

void client_core::drop_belongings() noexcept {
  observer_.drop();
  const auto log = std::exchange(options_.log, {});
  const auto label = std::exchange(options_.label, {});
  options_.credentials.clear();
}

} // namespace zklock::detail
