// A client that caches as many locks as it may.
#include "cache/caching.hpp"
#include "client/node_path.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/test/unit_test.hpp>

#include <cstddef>
#include <string>
#include <vector>

using namespace zklock;
using namespace zklock::test;
using testing::operation;

namespace {

constexpr std::size_t locks = 5'000;
constexpr std::size_t at_a_time = 50;

/// A client that caches many locks, each in a directory of its own.
struct many_kept {
  asio::io_context io{1};
  testing::raw_client witness{shared_server().direct_address()};
  testing::relay door{shared_server().direct_address()};
  const std::string path = fresh_path("many");

  /// All paths have an equal length.
  std::string path_of(std::size_t number) const {
    auto digits = std::to_string(number);
    return path + '/' + std::string(4 - digits.size(), '0') + digits;
  }

  client_options keeping(std::size_t max_path_bytes) const {
    auto options = caching_scene::caching(door.address());
    options.max_path_bytes = max_path_bytes;
    return options;
  }

  /// How many entries take half of `max_path_bytes`.
  std::size_t most_kept(std::size_t max_path_bytes) const {
    return max_path_bytes / 2 / (path_of(0).size() + detail::entry_name_bytes);
  }

  /// Uses all locks so often that each may be cached, in their order, some at a time.
  asio::awaitable<void> use_all(const client& zk) {
    for (std::size_t from = 0; from < locks; from += at_a_time) {
      std::vector<asio::awaitable<void>> some;
      for (auto i = from; i < from + at_a_time; ++i)
        some.push_back(caching_scene::keep(mutex(zk, path_of(i))));
      co_await together(std::move(some));
    }
  }

  /// Waits until the client has evicted enough, and the servers have its cached entries only.
  /// Returns how many entries that is.
  asio::awaitable<std::size_t> settled(const client& zk, std::size_t max_path_bytes) {
    std::size_t kept = 0;
    const auto agree = [&] {
      kept = zk.cached();
      return kept <= most_kept(max_path_bytes) && count_entries(0, locks) == kept;
    };
    co_await eventually(agree, 100s);
    co_return kept;
  }

  std::size_t count_entries(std::size_t from, std::size_t to) {
    witness.sync(path);
    std::size_t found = 0;
    for (auto i = from; i < to; ++i)
      found += witness.exists(path_of(i)) ? witness.children(path_of(i)).size() : 0;
    return found;
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(keeping_many, many_kept, *boost::unit_test::timeout(600))

// So few entries fit that none is evicted for not being used.
BOOST_AUTO_TEST_CASE(entries_used_last_take_half_of_the_budget) {
  const auto max_path_bytes = std::size_t{32} * 1024;
  client zk(io, keeping(max_path_bytes));
  const auto most = most_kept(max_path_bytes);
  const auto body = [&]() -> asio::awaitable<void> {
    co_await use_all(zk);
    BOOST_TEST(zk.cached() > 0u);
    const auto kept = co_await settled(zk, max_path_bytes);
    // Locks that are used side by side have no order.
    BOOST_TEST(count_entries(locks - most - at_a_time, locks) == kept);
    BOOST_TEST(zk.stats().total.failed == 0u);
  };
  run(io, body, 500s);
}

BOOST_AUTO_TEST_CASE(dropping_cached_entries_takes_few_transactions) {
  const auto max_path_bytes = std::size_t{900} * 1024;
  client zk(io, keeping(max_path_bytes));
  const auto body = [&]() -> asio::awaitable<void> {
    co_await use_all(zk);
    mutex last(zk, path + "-last");
    const auto kept = co_await settled(zk, max_path_bytes);
    requests_sent(door);
    pending<> dropped;
    zk.evict_cached(dropped.token());
    // Further work goes on meanwhile.
    hold held = co_await last.acquire(10s);
    const auto [error] = co_await dropped.get();
    BOOST_TEST(!error);
    BOOST_TEST(zk.cached() == 0u);
    BOOST_TEST(count_entries(0, locks) == 0u);
    const auto deletes = door.requests(operation::remove) + door.requests(operation::multi);
    BOOST_TEST_MESSAGE(kept << " deleted by " << deletes << " requests");
    BOOST_TEST(deletes <= kept / 100 + 10);
    BOOST_TEST(door.requests(operation::create2) == 1u);
    BOOST_TEST(door.requests(operation::get_children2) <= 1u);
    BOOST_TEST(door.requests(operation::get_data) == 0u);
    co_await held.release();
  };
  run(io, body, 500s);
}

BOOST_AUTO_TEST_SUITE_END()
