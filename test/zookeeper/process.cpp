// The library's state in the child of a fork.
#include "zookeeper/process.hpp"

#include <boost/test/unit_test.hpp>

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <thread>

using zklock::zookeeper::disown;
using zklock::zookeeper::mutexes_of_process;
using zklock::zookeeper::process_mark;

namespace {

/// Forks, runs this in the child, and returns the child's exit status.
template <class Work>
int in_child(Work work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace

BOOST_AUTO_TEST_SUITE(processes)

BOOST_AUTO_TEST_CASE(mark_is_current_only_in_the_process_that_made_it) {
  const process_mark mark;
  BOOST_TEST(mark.is_current());
  BOOST_TEST(in_child([&] { return mark.is_current() ? 1 : 0; }) == 0);
  BOOST_TEST(in_child([] { return process_mark().is_current() ? 0 : 1; }) == 0);
  BOOST_TEST(mark.is_current());
}

BOOST_AUTO_TEST_CASE(child_of_a_fork_finds_all_mutexes_free) {
  auto& mutexes = mutexes_of_process();
  std::mutex* const all[] = {&mutexes.c_client, &mutexes.closers, &mutexes.clients};
  for (auto* const each : all) {
    std::atomic<bool> over = false;
    std::atomic<int> rounds = 0;
    std::thread busy([&] {
      while (!over) {
        const std::lock_guard lock(*each);
        ++rounds;
      }
    });
    while (rounds == 0) {}
    for (int i = 0; i < 50; ++i) {
      BOOST_TEST(in_child([&] {
                   for (auto* const mutex : all)
                     if (!mutex->try_lock()) return 1;
                   return 0;
                 }) == 0);
    }
    over = true;
    busy.join();
  }
}

BOOST_AUTO_TEST_CASE(disowned_descriptor_stays_in_the_reactor_of_the_parent) {
  std::array<int, 2> pipe{};
  BOOST_REQUIRE(::pipe2(pipe.data(), O_CLOEXEC) == 0);
  const int reactor = ::epoll_create1(EPOLL_CLOEXEC);
  epoll_event event{.events = EPOLLIN, .data = {}};
  BOOST_REQUIRE(::epoll_ctl(reactor, EPOLL_CTL_ADD, pipe[0], &event) == 0);
  BOOST_TEST(in_child([&] {
               disown(pipe[0]);
               // The reactor does not know the child's descriptor.
               const int gone = ::epoll_ctl(reactor, EPOLL_CTL_DEL, pipe[0], nullptr);
               return gone == -1 && errno == ENOENT && ::close(pipe[0]) == 0 ? 0 : 1;
             }) == 0);
  BOOST_TEST(::write(pipe[1], "x", 1) == 1);
  BOOST_TEST(::epoll_wait(reactor, &event, 1, 10'000) == 1);
  for (const int each : {pipe[0], pipe[1], reactor})
    ::close(each);
}

BOOST_AUTO_TEST_SUITE_END()
