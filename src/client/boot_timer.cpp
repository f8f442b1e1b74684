#include "client/boot_timer.hpp"

#include "timer_descriptor.hpp"

#include <boost/system/error_code.hpp>

#include <algorithm>
#include <chrono>

namespace zklock::detail {

namespace {

// How long a timer of Asio may run without a look at `boot_clock`.
constexpr std::chrono::milliseconds longest_substitute{100};

} // namespace

// The child of a fork shares the timer and the reactor with its parent.
boot_timer::~boot_timer() {
  if (descriptor_.is_open() && !process_.is_current())
    zookeeper::disown(descriptor_.native_handle());
}

void boot_timer::expires_at(boot_clock::time_point time) {
  if (!descriptor_.is_open()) open();
  if (descriptor_.is_open()) {
    descriptor_.cancel();
    return set_timer_descriptor(descriptor_.native_handle(), time);
  }
  substitute_.expires_after(
      std::min<boot_clock::duration>(time - boot_clock::now(), longest_substitute));
}

void boot_timer::open() {
  auto made = make_timer_descriptor();
  if (made.get() < 0) return;
  boost::system::error_code error;
  descriptor_.assign(made.get(), error);
  if (!error) made.release();
}

} // namespace zklock::detail
