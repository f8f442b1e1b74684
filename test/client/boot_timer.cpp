// The timers of the library's clock, on a real kernel.
#include "client/boot_timer.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/test/unit_test.hpp>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <optional>

using namespace std::chrono_literals;
using zklock::boot_clock;
using zklock::detail::boot_timer;

namespace {

class counting_timer final : public boot_timer {
 public:
  using boot_timer::boot_timer;

  int expirations = 0;
  boot_clock::time_point last{};

 private:
  void expired() override {
    ++expirations;
    last = boot_clock::now();
  }
};

struct fixture {
  std::optional<boost::asio::io_context> io{1};
  std::shared_ptr<counting_timer> timer = make();

  std::shared_ptr<counting_timer> make() {
    return std::make_shared<counting_timer>(io->get_executor());
  }

  // A context without work ends at once.
  void finish() {
    io->restart();
    io->run_for(20s);
    BOOST_TEST(io->stopped());
  }
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
  timer->expires_at(due);
  finish();
  BOOST_TEST(timer->expirations == 1);
  BOOST_TEST((timer->last >= due));
}

BOOST_AUTO_TEST_CASE(timer_expires_at_once_in_the_past) {
  timer->expires_at(boot_clock::time_point(1s));
  finish();
  timer->expires_at(boot_clock::time_point::min());
  finish();
  BOOST_TEST(timer->expirations == 2);
}

BOOST_AUTO_TEST_CASE(timers_of_a_context_expire_at_their_own_times) {
  const auto now = boot_clock::now();
  const auto earlier = make();
  const auto later = make();
  timer->expires_at(now + 60ms);
  later->expires_at(now + 90ms);
  earlier->expires_at(now + 30ms);
  finish();
  BOOST_TEST(earlier->expirations + timer->expirations + later->expirations == 3);
  BOOST_TEST((earlier->last >= now + 30ms && earlier->last < timer->last));
  BOOST_TEST((timer->last >= now + 60ms && timer->last < later->last));
  BOOST_TEST((later->last >= now + 90ms));
}

BOOST_AUTO_TEST_CASE(new_time_replaces_the_old_one) {
  timer->expires_at(boot_clock::now() + 20ms);
  const auto later = boot_clock::now() + 80ms;
  timer->expires_at(later);
  finish();
  BOOST_TEST(timer->expirations == 1);
  BOOST_TEST((timer->last >= later));
  timer->expires_at(boot_clock::now() + 1h);
  timer->expires_at(boot_clock::now() + 1ms);
  finish();
  BOOST_TEST(timer->expirations == 2);
}

// The context has no work then.
BOOST_AUTO_TEST_CASE(timer_without_a_time_never_expires) {
  timer->expires_at(boot_clock::now() + 1h);
  timer->expires_at(boot_clock::time_point::max());
  finish();
  timer->expires_at(boot_clock::now() + 1h);
  timer.reset();
  finish();
  // The cancelled wait does not end the new wait.
  timer = make();
  timer->expires_at(boot_clock::now() + 1h);
  timer->expires_at(boot_clock::time_point::max());
  timer->expires_at(boot_clock::now() + 10ms);
  finish();
  BOOST_TEST(timer->expirations == 1);
}

BOOST_AUTO_TEST_CASE(timer_outlives_its_context) {
  timer->expires_at(boot_clock::now() + 1h);
  io.reset();
  timer->expires_at(boot_clock::now());
  BOOST_TEST(timer->expirations == 0);
}

BOOST_AUTO_TEST_CASE(timer_without_a_descriptor_expires_at_its_time) {
  auto due = boot_clock::now() + 250ms;
  {
    const no_descriptors full;
    timer->expires_at(due);
    io->run_for(150ms);
  }
  finish();
  BOOST_TEST(timer->expirations == 1);
  BOOST_TEST((timer->last >= due));
  // The next wait has a descriptor.
  due = boot_clock::now() + 50ms;
  timer->expires_at(due);
  finish();
  BOOST_TEST(timer->expirations == 2);
  BOOST_TEST((timer->last >= due));
}

BOOST_AUTO_TEST_CASE(child_that_destroys_the_timers_leaves_those_of_its_parent) {
  timer->expires_at(boot_clock::now() + 300ms);
  const pid_t child = ::fork();
  if (child == 0) {
    timer->expires_at(boot_clock::now() + 1h);
    timer.reset();
    io.reset();
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  finish();
  BOOST_TEST(timer->expirations == 1);
}

BOOST_AUTO_TEST_CASE(child_whose_context_was_notified_has_timers_of_its_own) {
  const auto due = boot_clock::now() + 300ms;
  timer->expires_at(due);
  io->notify_fork(boost::asio::execution_context::fork_prepare);
  const pid_t child = ::fork();
  if (child == 0) {
    io->notify_fork(boost::asio::execution_context::fork_child);
    io->run_for(20s);
    const bool expired = timer->expirations == 1 && timer->last >= due;
    timer->expires_at(boot_clock::now() + 1h);
    ::_exit(expired ? 0 : 1);
  }
  io->notify_fork(boost::asio::execution_context::fork_parent);
  finish();
  BOOST_TEST(timer->expirations == 1);
  int status = -1;
  ::waitpid(child, &status, 0);
  BOOST_TEST((WIFEXITED(status) && WEXITSTATUS(status) == 0));
}

BOOST_AUTO_TEST_SUITE_END()
