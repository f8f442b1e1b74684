#include "client/boot_timer.hpp"

#include "client/boot_timers.hpp"

#include <boost/asio/query.hpp>

namespace zklock::detail {

boot_timer::boot_timer(const boost::asio::any_io_executor& executor)
    : all_(boot_timers::of(boost::asio::query(executor, boost::asio::execution::context))) {}

boot_timer::~boot_timer() {
  all_->remove(*this);
}

void boot_timer::expires_at(boot_clock::time_point time) {
  all_->set(*this, time);
}

const boost::asio::execution_context& boot_timer::context() const noexcept {
  return all_->context();
}

} // namespace zklock::detail
