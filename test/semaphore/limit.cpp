// A limit that is kept in a node.
#include "support/scene.hpp"

#include <boost/asio/detached.hpp>
#include <boost/test/unit_test.hpp>

#include <string>
#include <string_view>
#include <vector>

using namespace zklock;
using namespace zklock::test;
using namespace std::string_view_literals;

namespace {

// As Curator's SharedCount writes it.
std::string four_bytes(int value) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8)
    text += static_cast<char>(value >> shift & 0xff);
  return text;
}

struct limit_scene : scene {
  limit_scene() { witness.create_all(path); }

  const std::string limit = path + "/limit";
  semaphore lock{zk, path + "/semaphore", limit_node{limit}};
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(limits, limit_scene, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(raised_limit_grants_waiters) {
  witness.create(limit, four_bytes(1));
  run(io, [&]() -> asio::awaitable<void> {
    hold first = co_await lock.acquire(10s, asio::use_awaitable);
    std::vector<hold> more;
    asio::co_spawn(
        io,
        [&]() -> asio::awaitable<void> {
          more.push_back(co_await lock.acquire(30s, asio::use_awaitable));
        },
        asio::detached);
    co_await wait_for_entries(witness, path + "/semaphore/locks", 1);
    BOOST_TEST(more.empty());
    witness.set(limit, four_bytes(2));
    co_await eventually([&] { return more.size() == 1; });
  });
}

BOOST_AUTO_TEST_CASE(lowered_limit_keeps_holds_and_grants_fewer) {
  witness.create(limit, four_bytes(3));
  run(io, [&]() -> asio::awaitable<void> {
    hold first = co_await lock.acquire(2, 10s, asio::use_awaitable);
    witness.set(limit, four_bytes(1));
    co_await eventually([&] { return shared_server().counter("zk_watch_count") > 0; });
    const auto [error, none] = co_await lock.acquire(300ms, as_result);
    BOOST_TEST((error == errc::timed_out));
    BOOST_TEST(first.owns_lock());
    co_await first.release(asio::use_awaitable);
    hold second = co_await lock.acquire(10s, asio::use_awaitable);
    const auto [too_many, nothing] = co_await lock.acquire(2, 10s, as_result);
    BOOST_TEST((too_many == errc::bad_permits));
  });
}

BOOST_AUTO_TEST_CASE(limit_of_zero_grants_no_waiter_until_it_is_raised) {
  witness.create(limit, four_bytes(0));
  run(io, [&]() -> asio::awaitable<void> {
    std::vector<hold> got;
    asio::co_spawn(
        io,
        [&]() -> asio::awaitable<void> {
          got.push_back(co_await lock.acquire(30s, asio::use_awaitable));
        },
        asio::detached);
    co_await wait_for_entries(witness, path + "/semaphore/locks", 1);
    witness.set(limit, four_bytes(1));
    co_await eventually([&] { return got.size() == 1; });
  });
}

BOOST_AUTO_TEST_CASE(acquire_with_an_invalid_or_missing_limit_fails_bad_limit) {
  run(io, [&]() -> asio::awaitable<void> {
    for (const auto data : {""sv, "12"sv, "12345"sv, "\xff\xff\xff\xff"sv}) {
      if (data.empty())
        BOOST_TEST(!witness.exists(limit).has_value());
      else if (witness.exists(limit))
        witness.set(limit, data);
      else
        witness.create(limit, data);
      const auto [error, none] = co_await lock.acquire(10s, as_result);
      BOOST_TEST((error == errc::bad_limit));
      const auto [tried, nothing] = co_await lock.try_acquire(as_result);
      BOOST_TEST((tried == errc::bad_limit));
    }
    co_await wait_for_entries(witness, path + "/semaphore/locks", 0);
    witness.set(limit, four_bytes(1));
    hold held = co_await lock.acquire(10s, asio::use_awaitable);
    BOOST_TEST(held.owns_lock());
  });
}

BOOST_AUTO_TEST_CASE(bad_path_of_a_limit_is_refused) {
  BOOST_CHECK_EXCEPTION(semaphore(zk, path + "/semaphore", limit_node{"limit"}),
                        boost::system::system_error, [](const auto& error) {
                          return error.code() == errc::bad_path &&
                                 std::string(error.what()).find("\"limit\"") != std::string::npos;
                        });
}

BOOST_AUTO_TEST_SUITE_END()
