// The requests of each kind of lock, compared with Curator's recipes. Curator's are counted from
// the source of 5.4; doc/internals/requests.md has both.
#include "support/counted_client.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace zklock;
using namespace zklock::test;
using testing::operation;

namespace {

struct kinds_scene {
  kinds_scene() { witness.create_all("/test"); }

  /// Creates the directories, and lets the client learn which entries they have.
  template <class Lock>
  void warm(Lock lock) {
    for (int i = 0; i < 3; ++i)
      use(lock);
    requests_sent(door);
  }

  template <class Lock>
  static void use(Lock lock) {
    get(get(lock.acquire(30s, asio::use_future)).release(asio::use_future));
  }

  background context;
  testing::raw_client witness{shared_server().direct_address()};
  counted_client one{context};
  counted_client two{context};
  testing::relay& door = one.door;
  const std::string path = fresh_path();
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(requests_of_recipes, kinds_scene, *boost::unit_test::timeout(120))

// Curator: 3.
BOOST_AUTO_TEST_CASE(free_shared_mutex_takes_two_requests) {
  shared_mutex lock(one.zk, path);
  warm(lock);
  use(lock);
  BOOST_TEST(requests_sent(door) == "create=1 remove=1");
  use(lock.shared());
  BOOST_TEST(requests_sent(door) == "create=1 remove=1");
}

// Curator: 5, and 3 + 2 k behind k writers.
BOOST_AUTO_TEST_CASE(reader_behind_foreign_writers_takes_four_requests) {
  shared_mutex lock(one.zk, path), theirs(two.zk, path);
  warm(lock);
  hold writer = get(theirs.acquire(30s, asio::use_future));
  auto second = theirs.acquire(30s, asio::use_future);
  wait_until([&] { return entries(witness, path) == 2; });
  requests_sent(door);
  auto waiting = lock.shared().acquire(30s, asio::use_future);
  wait_until([&] { return door.replies(operation::get_data) == 2; });
  BOOST_TEST(requests_sent(door) == "create=1 list=1 get=2");
  get(writer.release(asio::use_future));
  hold next = get(second);
  get(next.release(asio::use_future));
  hold reader = get(waiting);
  BOOST_TEST(requests_sent(door) == "");
  get(reader.release(asio::use_future));
  BOOST_TEST(requests_sent(door) == "remove=1");
}

// Curator: 5.
BOOST_AUTO_TEST_CASE(writer_behind_a_foreign_writer_takes_five_requests) {
  shared_mutex lock(one.zk, path), theirs(two.zk, path);
  warm(lock);
  hold writer = get(theirs.acquire(30s, asio::use_future));
  auto waiting = lock.acquire(30s, asio::use_future);
  wait_until([&] { return door.replies(operation::get_data) == 1; });
  get(writer.release(asio::use_future));
  hold held = get(waiting);
  // The predecessor may have become a reader: the waiter lists again.
  BOOST_TEST(requests_sent(door) == "create=1 list=2 get=1");
  get(held.release(asio::use_future));
  BOOST_TEST(requests_sent(door) == "remove=1");
}

// Curator: 5.
BOOST_AUTO_TEST_CASE(writer_behind_a_foreign_reader_takes_four_requests) {
  shared_mutex lock(one.zk, path), theirs(two.zk, path);
  warm(lock);
  hold reader = get(theirs.shared().acquire(30s, asio::use_future));
  auto waiting = lock.acquire(30s, asio::use_future);
  wait_until([&] { return door.replies(operation::get_data) == 1; });
  get(reader.release(asio::use_future));
  hold held = get(waiting);
  BOOST_TEST(requests_sent(door) == "create=1 list=1 get=1");
  get(held.release(asio::use_future));
  BOOST_TEST(requests_sent(door) == "remove=1");
}

// Curator: 3, and another request to release the writer.
BOOST_AUTO_TEST_CASE(downgrade_takes_one_request) {
  shared_mutex lock(one.zk, path);
  warm(lock);
  hold held = get(lock.acquire(30s, asio::use_future));
  requests_sent(door);
  get(held.downgrade(asio::use_future));
  BOOST_TEST(requests_sent(door) == "multi=1");
  get(held.release(asio::use_future));
  BOOST_TEST(requests_sent(door) == "remove=1");
}

// Curator: 0.
BOOST_AUTO_TEST_CASE(owner_that_acquires_again_takes_no_request) {
  mutex lock(one.zk, path);
  const owner me;
  hold first = get(lock.acquire({.owner = me}, asio::use_future));
  requests_sent(door);
  hold second = get(lock.acquire({.owner = me}, asio::use_future));
  get(second.release(asio::use_future));
  BOOST_TEST(requests_sent(door) == "");
}

// Curator: 7, and 5 round trips to acquire; here 2. With several permits 7 for each of them.
BOOST_AUTO_TEST_CASE(free_semaphore_takes_four_requests) {
  semaphore lock(one.zk, path, 5);
  warm(lock);
  for (const int permits : {1, 3}) {
    hold held = get(lock.acquire(permits, 30s, asio::use_future));
    BOOST_TEST(requests_sent(door) == "create=1 list=1 multi=1");
    get(held.release(asio::use_future));
    BOOST_TEST(requests_sent(door) == (permits == 1 ? "remove=1" : "multi=1"));
  }
}

// Curator: 8 for the head of the queue.
BOOST_AUTO_TEST_CASE(full_semaphore_takes_six_requests) {
  semaphore lock(one.zk, path, 1), theirs(two.zk, path, 1);
  warm(lock);
  for (const bool first : {true, false}) {
    hold held = get(theirs.acquire(30s, asio::use_future));
    requests_sent(door);
    auto waiting = lock.acquire(30s, asio::use_future);
    // Once it has seen foreign entries it lists the entries together with the permits.
    const auto lists = first ? 3u : 2u;
    wait_until([&] { return door.replies(operation::get_children2) == lists; });
    BOOST_TEST(requests_sent(door) == "create=1 list=" + std::to_string(lists));
    get(held.release(asio::use_future));
    hold next = get(waiting);
    BOOST_TEST(requests_sent(door) == "list=1 multi=1");
    get(next.release(asio::use_future));
    BOOST_TEST(requests_sent(door) == "remove=1");
  }
}

// Curator: 6 or more, of which 4 write.
BOOST_AUTO_TEST_CASE(try_on_a_full_semaphore_takes_one_read) {
  semaphore lock(one.zk, path, 1), theirs(two.zk, path, 1);
  warm(lock);
  hold held = get(theirs.acquire(30s, asio::use_future));
  requests_sent(door);
  for (int i = 0; i < 3; ++i) {
    BOOST_TEST(!get(lock.try_acquire(asio::use_future)));
    BOOST_TEST(requests_sent(door) == "list=1");
  }
}

// Curator: 3 for each.
BOOST_AUTO_TEST_CASE(multi_lock_takes_a_create_for_each_lock_and_one_transaction) {
  std::vector<any_lock> some;
  for (const auto* name : {"/b", "/a", "/c"})
    some.push_back(mutex(one.zk, path + name));
  multi_lock all(some);
  warm(all);
  use(all);
  BOOST_TEST(requests_sent(door) == "create=3 multi=1");
}

BOOST_AUTO_TEST_CASE(candidate_takes_the_requests_of_a_mutex) {
  election candidate(one.zk, path);
  warm(mutex(one.zk, path));
  asio::co_spawn(context.io, candidate.run([]() -> asio::awaitable<void> { co_return; }),
                 asio::use_future)
      .get();
  BOOST_TEST(requests_sent(door) == "create=1 remove=1");
}

// While waiters of a process follow each other, no other client can have taken a permit.
BOOST_AUTO_TEST_CASE(waiters_of_one_process_do_not_list_each_time) {
  semaphore lock(one.zk, path, 2);
  warm(lock);
  constexpr int waiters = 20;
  std::vector<std::future<hold>> waiting;
  for (int i = 0; i < waiters; ++i)
    waiting.push_back(lock.acquire(asio::use_future));
  for (auto& each : waiting)
    get(get(each).release(asio::use_future));
  const auto total = door.total_requests();
  BOOST_TEST_MESSAGE(requests_sent(door));
  BOOST_TEST(total <= 4u * waiters);
}

BOOST_AUTO_TEST_SUITE_END()
