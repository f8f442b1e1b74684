// The timer of the library's clock, on a real kernel.
#include "client/boot_timer.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/test/unit_test.hpp>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <optional>

using namespace std::chrono_literals;
using boost::system::error_code;
using zklock::boot_clock;
using zklock::detail::boot_timer;

namespace {

struct fixture {
  boost::asio::io_context io{1};
  std::optional<boot_timer> timer{
      std::in_place, zklock::zookeeper::strand(boost::asio::any_io_executor(io.get_executor()))};
  std::optional<error_code> result;

  void start(boot_clock::time_point time) {
    timer->expires_at(time);
    timer->async_wait([this](error_code error) { result = error; });
  }

  void finish() { io.run_for(20s); }
};

/// While it lives, the process cannot open a file.
struct no_descriptors {
  no_descriptors() {
    ::getrlimit(RLIMIT_NOFILE, &usual);
    const rlimit none{0, usual.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~no_descriptors() { ::setrlimit(RLIMIT_NOFILE, &usual); }
  no_descriptors(const no_descriptors&) = delete;
  no_descriptors& operator=(const no_descriptors&) = delete;

  rlimit usual{};
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(boot_timers, fixture, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(timer_expires_at_its_time) {
  const auto due = boot_clock::now() + 50ms;
  start(due);
  finish();
  BOOST_TEST((boot_clock::now() >= due));
  BOOST_TEST((result && !*result));
}

BOOST_AUTO_TEST_CASE(timer_expires_at_once_in_the_past) {
  start(boot_clock::time_point(1s));
  finish();
  BOOST_TEST((result && !*result));
}

BOOST_AUTO_TEST_CASE(new_time_cancels_the_wait) {
  start(boot_clock::now() + 1h);
  timer->expires_at(boot_clock::now() + 1h);
  finish();
  BOOST_TEST((result && *result));
}

// It is waited for again: the clock may have moved on while the machine was suspended.
BOOST_AUTO_TEST_CASE(timer_without_a_descriptor_expires_early) {
  {
    const no_descriptors full;
    start(boot_clock::now() + 1h);
  }
  finish();
  BOOST_TEST((result && !*result));
  // The next one has a descriptor.
  const auto due = boot_clock::now() + 300ms;
  start(due);
  io.restart();
  finish();
  BOOST_TEST((boot_clock::now() >= due));
}

BOOST_AUTO_TEST_CASE(child_that_destroys_the_timer_leaves_that_of_its_parent) {
  start(boot_clock::now() + 300ms);
  const pid_t child = ::fork();
  if (child == 0) {
    timer.reset();
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  finish();
  BOOST_TEST((result && !*result));
}

BOOST_AUTO_TEST_SUITE_END()
