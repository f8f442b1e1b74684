#include "cli/run/boot_timer.hpp"

#include "cli/run/timer.hpp"
#include "support/timer_descriptor.hpp"

#include <boost/asio/use_awaitable.hpp>

namespace zklock::cli {

namespace asio = boost::asio;

boot_timer::boot_timer(const asio::any_io_executor& executor)
    : timer_(executor, make_timer().release()) {}

asio::awaitable<void> boot_timer::wait_until(boot_clock::time_point time) {
  set(woken_ ? boot_clock::time_point() : time);
  co_await timer_.async_wait(asio::posix::stream_descriptor::wait_read, asio::use_awaitable);
  woken_ = false;
}

void boot_timer::wake() {
  woken_ = true;
  set(boot_clock::time_point());
}

void boot_timer::set(boot_clock::time_point time) {
  detail::set_timer_descriptor(timer_.native_handle(), time);
}

} // namespace zklock::cli
