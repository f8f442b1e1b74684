// Readers hold together, a writer holds alone.
#include "shared_scene.hpp"

#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <random>
#include <vector>

using namespace zklock;
using namespace zklock::test;

namespace {

// The room that the lock protects.
struct room {
  int readers = 0;
  int writers = 0;
  int most_readers = 0;
  int visits = 0;
  bool overlapped = false;

  asio::awaitable<void> visit(bool writes) {
    ++visits;
    ++(writes ? writers : readers);
    most_readers = std::max(most_readers, readers);
    const auto executor = co_await asio::this_coro::executor;
    for (int i = 0; i < 5; ++i) {
      overlapped |= writers > 1 || (writers == 1 && readers != 0);
      co_await asio::post(executor, asio::use_awaitable);
    }
    --(writes ? writers : readers);
  }
};

asio::awaitable<void> come_and_go(shared_mutex lock, room& shared, unsigned seed, int turns) {
  std::minstd_rand random(seed);
  for (int i = 0; i < turns; ++i) {
    const bool writes = random() % 4 == 0;
    any_lock side = writes ? any_lock(lock) : lock.shared();
    hold held = co_await side.acquire(60s, asio::use_awaitable);
    BOOST_TEST(held.owns_lock());
    co_await shared.visit(writes);
    if (i % 2 == 0) co_await held.release(asio::use_awaitable);
  }
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(shared_mutexes, shared_scene, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(readers_share_and_a_writer_is_alone_among_several_clients) {
  room shared;
  run(io, [&]() -> asio::awaitable<void> {
    std::vector<asio::awaitable<void>> all;
    for (unsigned i = 0; i < 16; ++i)
      all.push_back(come_and_go(i % 2 == 0 ? lock : theirs, shared, i + 1, 25));
    co_await together(std::move(all));
  });
  BOOST_TEST(shared.visits == 16 * 25);
  BOOST_TEST(!shared.overlapped);
  BOOST_TEST(shared.most_readers > 1);
  BOOST_TEST(entries(witness, path) == 0u);
}

// Readers do not overtake an earlier writer, and a writer does not overtake earlier readers.
BOOST_AUTO_TEST_CASE(neither_readers_nor_writers_starve) {
  std::vector<int> order;
  run(io, [&]() -> asio::awaitable<void> {
    hold first = co_await lock.acquire_shared(10s, asio::use_awaitable);
    asio::co_spawn(io, join_line(theirs, order, 1), asio::detached);
    co_await wait_for_entries(witness, path, 2);
    asio::co_spawn(io, join_line(lock.shared(), order, 2), asio::detached);
    co_await wait_for_entries(witness, path, 3);
    asio::co_spawn(io, join_line(theirs.shared(), order, 3), asio::detached);
    co_await wait_for_entries(witness, path, 4);
    BOOST_TEST(order.empty());
    co_await first.release(asio::use_awaitable);
    co_await eventually([&] { return order.size() == 3; });
    co_await wait_for_entries(witness, path, 0);
  });
  BOOST_TEST(order.front() == 1);
}

BOOST_AUTO_TEST_CASE(entries_are_named_as_curator_names_them) {
  run(io, [&]() -> asio::awaitable<void> {
    hold reader = co_await lock.acquire_shared(10s, asio::use_awaitable);
    BOOST_TEST(reader.node().ends_with("-__READ__0000000000"));
    BOOST_TEST(reader.node().starts_with(path + "/_c_"));
    co_await reader.release(asio::use_awaitable);
    hold writer = co_await lock.acquire(10s, asio::use_awaitable);
    BOOST_TEST(writer.node().ends_with("-__WRIT__0000000001"));
    co_await writer.release(asio::use_awaitable);
  });
}

BOOST_AUTO_TEST_CASE(shared_try_succeeds_beside_readers_only) {
  run(io, [&]() -> asio::awaitable<void> {
    hold reader = co_await lock.acquire_shared(10s, asio::use_awaitable);
    {
      const hold beside = co_await theirs.try_acquire_shared(asio::use_awaitable);
      BOOST_TEST(beside.owns_lock());
      BOOST_TEST(!(co_await theirs.try_acquire()));
    }
    co_await reader.release(asio::use_awaitable);
    co_await wait_for_entries(witness, path, 0);
    hold writer = co_await theirs.try_acquire(asio::use_awaitable);
    BOOST_TEST(!(co_await lock.try_acquire_shared()));
  });
}

BOOST_AUTO_TEST_CASE(second_kind_of_lock_on_a_path_fails_lock_type_mismatch) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex plain(zk, path);
    hold held = co_await lock.acquire(10s, asio::use_awaitable);
    const auto [error, none] = co_await plain.acquire(10s, as_result);
    BOOST_TEST((error == errc::lock_type_mismatch));
    co_await held.release(asio::use_awaitable);
    held = co_await plain.acquire(10s, asio::use_awaitable);
    BOOST_TEST(held.owns_lock());
  });
}

// As an any_lock, in with_lock, with the body cancelled on loss: as for a mutex.
BOOST_AUTO_TEST_CASE(readers_side_works_as_any_lock) {
  run(io, [&]() -> asio::awaitable<void> {
    any_lock reading = lock.shared();
    const int seen = co_await with_lock(reading, 10s, [&](hold& held) -> asio::awaitable<int> {
      BOOST_TEST(held.node().find("__READ__") != std::string::npos);
      co_return 7;
    });
    BOOST_TEST(seen == 7);
    co_await wait_for_entries(witness, path, 0);
  });
}

BOOST_AUTO_TEST_SUITE_END()
