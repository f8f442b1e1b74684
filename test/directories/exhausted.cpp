// Sequence numbers near 2^31, which no test can count up to: a server's log says that it has.
#include "queue/entry_name.hpp"
#include "support/background.hpp"
#include "support/transaction_log.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <limits>
#include <string>

using namespace zklock;
using namespace zklock::test;

namespace {

/// A server of its own, which counts the entries of the lock from a number on.
struct numbered {
  void count_from(std::int64_t next) {
    {
      testing::raw_client before{server.direct_address()};
      before.create_all(path + "/counted");
      before.remove(path + "/counted");
    }
    server.stop();
    set_next_number(server, path, static_cast<std::int32_t>(next));
    server.start();
  }

  asio::awaitable<void> expect_exhausted(mutex lock) {
    const auto waited = co_await lock.acquire(20s, asio::as_tuple(asio::deferred));
    BOOST_TEST(std::get<0>(waited) == errc::sequence_exhausted);
    const auto tried = co_await lock.try_acquire(asio::as_tuple(asio::deferred));
    BOOST_TEST(std::get<0>(tried) == errc::sequence_exhausted);
  }

  testing::server server;
  const std::string path = "/numbers/lock";
  asio::io_context io{1};
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(exhausted, numbered, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(acquire_beyond_the_last_number_fails_sequence_exhausted) {
  count_from(queue::last_number - 1);
  testing::raw_client witness(server.direct_address());
  client zk(io, options_for(server.direct_address()));
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, path);
    hold held = co_await lock.acquire(10s);
    BOOST_TEST(held.node().ends_with("-lock-2146435071"));
    const auto token = held.token();
    co_await held.release();
    held = co_await lock.acquire(10s);
    BOOST_TEST(held.node().ends_with("-lock-2146435072"));
    BOOST_TEST((held.token() > token));
    // A waiter is refused, too, and the holder keeps its hold.
    const auto refused = co_await lock.acquire(20s, asio::as_tuple(asio::deferred));
    BOOST_TEST(std::get<0>(refused) == errc::sequence_exhausted);
    BOOST_TEST(held.owns_lock());
    co_await wait_for_entries(witness, path, 1);
    co_await held.release();
    co_await expect_exhausted(lock);
    co_await wait_for_entries(witness, path, 0);
  });
}

BOOST_AUTO_TEST_CASE(lock_works_again_once_its_directory_was_deleted) {
  count_from(queue::last_number - 2);
  testing::raw_client witness(server.direct_address());
  client zk(io, options_for(server.direct_address()));
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, path);
    for (int i = 0; i < 3; ++i) {
      hold held = co_await lock.acquire(10s);
      co_await held.release();
    }
    co_await expect_exhausted(lock);
    co_await wait_for_entries(witness, path, 0);
    witness.remove(path);
    hold held = co_await lock.acquire(10s);
    BOOST_TEST(held.owns_lock());
    BOOST_TEST(held.node().ends_with("-lock-0000000000"));
    co_await held.release();
  });
}

// Behind 2^31 - 1 a server repeats that number, or gives a negative number (ZOOKEEPER-4706).
BOOST_AUTO_TEST_CASE(lock_is_refused_where_numbers_wrap) {
  count_from(std::numeric_limits<std::int32_t>::max() - 1);
  testing::raw_client other(server.direct_address());
  for (const std::string id : {"1", "2", "3", "4"}) {
    const auto node = other.create(path + "/_c_9d1b3f42-7c1e-4c5a-8a57-0e4f0b7b2a1" + id + "-lock-",
                                   "", testing::create_mode::ephemeral_sequential);
    BOOST_TEST_MESSAGE(node);
    BOOST_TEST(
        (id == "1" || node.ends_with("-lock-2147483647") || node.ends_with("-lock--2147483648")));
  }
  client zk(io, options_for(server.direct_address()));
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, path);
    const auto all = co_await lock.participants();
    BOOST_TEST(all.size() == 4u);
    const auto waited = co_await lock.acquire(20s, asio::as_tuple(asio::deferred));
    BOOST_TEST(std::get<0>(waited) == errc::sequence_exhausted);
    BOOST_TEST(!(co_await lock.try_acquire()));
    co_await wait_for_entries(other, path, 4);
    // The last number is left: it is an entry, too.
    for (const auto& each : other.children(path))
      if (!each.ends_with("-lock-2147483647")) other.remove(path + "/" + each);
    const auto last = co_await lock.participants();
    BOOST_TEST(last.size() == 3u);
    BOOST_TEST(!(co_await lock.try_acquire()));
  });
}

BOOST_AUTO_TEST_SUITE_END()
