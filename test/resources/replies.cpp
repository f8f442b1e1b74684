// Replies of ten million bytes.
#include <zklock/testing/relay.hpp>

#include "support/background.hpp"
#include "support/heap_use.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/test/unit_test.hpp>

#include <cstddef>
#include <string>
#include <utility>

using namespace zklock;
using namespace zklock::test;

namespace {

constexpr std::size_t large = 10'000'000;
constexpr std::size_t children = 5000;

/// A server that accepts such requests.
testing::server& large_server() {
  static testing::server instance({.heap = 512, .system_properties = {"jute.maxbuffer=20000000"}});
  return instance;
}

struct reply_scene {
  reply_scene() {
    witness.create_all(path);
    run_until(io, [&] { return zk.connected(); });
    door.reset_counts();
  }

  void create_children() {
    const std::string tail(large / children, 'x');
    for (std::size_t i = 0; i < children; ++i)
      witness.create(path + "/" + std::to_string(i) + "-" + tail);
  }

  asio::io_context io{1};
  testing::raw_client witness{large_server().direct_address()};
  testing::relay door{large_server().direct_address()};
  const std::string path = fresh_path("large");
  client zk{io, options_for(door.address(), 60s)};
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(replies, reply_scene, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(directory_with_ten_million_bytes_of_names_is_used_at_linear_cost) {
  create_children();
  mutex lock(zk, path);
  for (int round = 0; round < 3; ++round) {
    door.reset_counts();
    const auto before = use.allocations;
    run(io, [&]() -> asio::awaitable<void> {
      hold held = co_await lock.acquire(30s);
      BOOST_TEST(held.owns_lock());
      BOOST_TEST(!(co_await mutex(zk, path).try_acquire()));
      co_await held.release();
      // So that the next acquire lists again.
      witness.remove(
          witness.create(path + "/lock-", "", testing::create_mode::ephemeral_sequential));
    });
    const auto lists = door.requests(testing::operation::get_children2);
    BOOST_TEST_MESSAGE(lists << " lists, " << use.allocations - before << " allocations");
    BOOST_TEST(lists >= 1u);
    BOOST_TEST(lists <= 2u);
    BOOST_TEST(door.total_requests() <= 10u);
    BOOST_TEST(use.allocations - before <=
               static_cast<std::ptrdiff_t>(2 * children * lists + 20'000));
  }
}

BOOST_AUTO_TEST_CASE(participant_with_ten_million_bytes_of_data_is_listed) {
  const auto node = create_foreign_entry(witness, path);
  witness.set(node, std::string(large, 'd'));
  const mutex lock(zk, path);
  const auto before = use.allocations;
  run(io, [&]() -> asio::awaitable<void> {
    const auto all = co_await lock.participants();
    BOOST_TEST_REQUIRE(all.size() == 1u);
    BOOST_TEST(all.front().identity.size() == 4096u);
  });
  BOOST_TEST(door.total_requests() == 2u);
  BOOST_TEST(use.allocations - before <= 20'000);
}

// Without a relay, which has memory of its own.
BOOST_AUTO_TEST_CASE(memory_of_a_large_reply_is_freed) {
  create_children();
  witness.set(create_foreign_entry(witness, path + "-2"), std::string(large, 'd'));
  client direct(io, options_for(large_server().direct_address(), 60s));
  mutex lock(direct, path);
  const mutex looked_at(direct, path + "-2");
  mutex small(direct, path + "-3");
  const auto use_small = [&]() -> asio::awaitable<void> {
    hold held = co_await small.acquire(30s);
    co_await held.release();
  };
  run(io, use_small);
  const auto before = heap_in_use();
  run(io, [&]() -> asio::awaitable<void> {
    hold held = co_await lock.acquire(30s);
    co_await held.release();
    const auto all = co_await looked_at.participants();
    BOOST_TEST(all.size() == 1u);
  });
  run(io, use_small);
  const auto after = heap_in_use();
  BOOST_TEST_MESSAGE(before << " bytes before, " << after << " after");
  BOOST_TEST(after < before + 500'000);
}

BOOST_AUTO_TEST_CASE(limit_of_ten_million_bytes_is_refused) {
  const auto limit = path + "/limit";
  witness.create(limit, std::string(large, 'd'));
  semaphore permits(zk, path + "/permits", limit_node{limit});
  run(io, [&]() -> asio::awaitable<void> {
    const auto got = co_await permits.acquire(30s, asio::as_tuple(asio::deferred));
    BOOST_TEST(std::get<0>(got) == errc::bad_limit);
    co_await wait_for_entries(witness, path + "/permits/locks", 0);
  });
  BOOST_TEST(door.total_requests() <= 20u);
}

BOOST_AUTO_TEST_SUITE_END()
