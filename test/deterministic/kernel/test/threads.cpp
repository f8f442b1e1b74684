#include "deterministic/kernel/kernel.hpp"

#include <boost/test/unit_test.hpp>

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <vector>

using namespace deterministic;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(threads_of_processes)

BOOST_AUTO_TEST_CASE(thread_waits_in_poll_in_simulated_time) {
  kernel linux_kernel;
  process& one = linux_kernel.start("one");
  time_point timed_out{0}, readable{0};
  std::thread waiting;
  int event = -1;
  one.call([&] {
    event = ::eventfd(0, EFD_NONBLOCK);
    waiting = std::thread([&] {
      pollfd which{event, POLLIN, 0};
      BOOST_TEST(::poll(&which, 1, 4500) == 0);
      timed_out = linux_kernel.time().now();
      BOOST_TEST(::poll(&which, 1, -1) == 1);
      readable = linux_kernel.time().now();
    });
  });
  linux_kernel.time().at(10s, [&] { ::eventfd_write(event, 1); });
  linux_kernel.run_until(20s);
  BOOST_TEST((timed_out >= 4500ms && timed_out < 4501ms));
  BOOST_TEST((readable >= 10s && readable < 10001ms));
  one.call([&] {
    waiting.join();
    ::close(event);
  });
  BOOST_TEST(linux_kernel.faults().empty());
}

BOOST_AUTO_TEST_CASE(threads_hand_over_by_a_condition) {
  kernel linux_kernel;
  process& one = linux_kernel.start("one");
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  int next = 0;
  std::vector<int> order;
  std::vector<std::thread> all;
  one.call([&] {
    for (int i = 0; i != 3; ++i)
      all.emplace_back([&, i] {
        ::pthread_mutex_lock(&mutex);
        while (next != i)
          ::pthread_cond_wait(&condition, &mutex);
        order.push_back(i);
        ++next;
        ::pthread_cond_broadcast(&condition);
        ::pthread_mutex_unlock(&mutex);
      });
  });
  linux_kernel.run_until(1s);
  BOOST_TEST(order == std::vector({0, 1, 2}), boost::test_tools::per_element());
  one.call([&] {
    for (auto& each : all)
      each.join();
  });
  BOOST_TEST(linux_kernel.faults().empty());
}

BOOST_AUTO_TEST_CASE(wait_of_the_main_thread_is_a_fault) {
  kernel linux_kernel;
  process& one = linux_kernel.start("one");
  one.call([&] {
    const int event = ::eventfd(0, EFD_NONBLOCK);
    pollfd which{event, POLLIN, 0};
    BOOST_TEST(::poll(&which, 1, 1000) == 0);
    ::close(event);
  });
  BOOST_TEST((linux_kernel.time().now() >= 1s));
  BOOST_TEST(linux_kernel.faults().size() == 1);
}

BOOST_AUTO_TEST_SUITE_END()
