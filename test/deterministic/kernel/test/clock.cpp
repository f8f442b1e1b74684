#include "client/boot_timer.hpp"
#include "deterministic/kernel/kernel.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <memory>
#include <vector>

using namespace deterministic;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(clocks)

BOOST_AUTO_TEST_CASE(functions_run_in_order_of_time_and_of_calls) {
  deterministic::clock time;
  std::vector<int> order;
  time.at(2s, [&] { order.push_back(3); });
  const auto cancelled = time.at(1s, [&] { order.push_back(0); });
  time.at(1s, [&] { order.push_back(1); });
  time.at(1s, [&] { order.push_back(2); });
  time.cancel(cancelled);
  time.advance(1s);
  while (time.fire()) {}
  BOOST_TEST(order == std::vector({1, 2}), boost::test_tools::per_element());
  BOOST_TEST(time.next().count() == time_point(2s).count());
}

BOOST_AUTO_TEST_CASE(timer_of_asio_expires_in_simulated_time) {
  kernel linux_kernel;
  process& one = linux_kernel.start("one");
  time_point expired{0};
  std::optional<boost::asio::steady_timer> timer;
  one.call([&] {
    timer.emplace(one.context(), 24h);
    timer->async_wait([&](auto) { expired = linux_kernel.time().now(); });
  });
  linux_kernel.run_until(24h - 1s);
  BOOST_TEST(expired.count() == 0);
  linux_kernel.run_until(24h + 1s);
  BOOST_TEST((expired >= 24h && expired < 24h + 1ms));
  one.call([&] { timer.reset(); });
}

BOOST_AUTO_TEST_CASE(paused_process_runs_nothing) {
  kernel linux_kernel;
  process& one = linux_kernel.start("one");
  bool ran = false;
  one.pause(10s);
  one.call([&] { boost::asio::post(one.context(), [&] { ran = true; }); });
  linux_kernel.run_until(9s);
  BOOST_TEST(!ran);
  linux_kernel.run_until(11s);
  BOOST_TEST(ran);
}

BOOST_AUTO_TEST_CASE(suspended_machine_has_a_monotonic_clock_that_stands_still) {
  kernel linux_kernel;
  process& one = linux_kernel.start("one");
  time_point expired{0};
  std::optional<boost::asio::steady_timer> timer;
  one.call([&] {
    timer.emplace(one.context(), 10s);
    timer->async_wait([&](auto) { expired = linux_kernel.time().now(); });
  });
  linux_kernel.run_until(4s);
  one.suspend(100s);
  linux_kernel.run_until(50s);
  BOOST_TEST((one.monotonic_time() < 5s));
  linux_kernel.run_until(200s);
  BOOST_TEST((expired > 109s && expired < 111s));
  BOOST_TEST((one.boot_time() - one.monotonic_time() == 100s));
  one.call([&] { timer.reset(); });
}

namespace {

struct noting_timer final : zklock::detail::boot_timer {
  using boot_timer::boot_timer;

  void expired() override { at = kernel::installed()->time().now(); }

  time_point at{0};
};

// When a timer of the library expires that is set to 10 s at 1 s, on a machine that is suspended
// for a time at 4 s.
time_point expiry_of_boot_timer(time_point suspended) {
  kernel linux_kernel;
  process& one = linux_kernel.start("one");
  std::shared_ptr<noting_timer> timer;
  linux_kernel.run_until(1s);
  one.call([&] {
    timer = std::make_shared<noting_timer>(one.context().get_executor());
    timer->expires_at(zklock::boot_clock::time_point(10s));
  });
  linux_kernel.run_until(4s);
  if (suspended != time_point{0}) one.suspend(suspended);
  linux_kernel.run_until(200s);
  const auto expired = timer->at;
  one.call([&] { timer.reset(); });
  linux_kernel.run_until(201s);
  return expired;
}

} // namespace

BOOST_AUTO_TEST_CASE(boot_timer_expires_in_time) {
  const auto expired = expiry_of_boot_timer(0s);
  BOOST_TEST((expired >= 10s && expired < 10s + 10ms));
}

BOOST_AUTO_TEST_CASE(boot_timer_goes_on_while_the_machine_is_suspended) {
  const auto expired = expiry_of_boot_timer(3s);
  BOOST_TEST((expired >= 10s && expired < 10s + 10ms));
}

BOOST_AUTO_TEST_CASE(boot_timer_expires_when_the_machine_resumes) {
  const auto expired = expiry_of_boot_timer(100s);
  BOOST_TEST((expired >= 104s && expired < 104s + 10ms));
}

BOOST_AUTO_TEST_SUITE_END()
