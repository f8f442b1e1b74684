// Observers, statistics and the log of grants without a request.
#include "observer/observing.hpp"

using namespace zklock;
using namespace zklock::test;

namespace {

/// The reports of a client.
struct reports {
  const std::shared_ptr<recorder> seen = std::make_shared<recorder>();
  std::vector<std::string> log;
};

/// Two clients of a lock. `zk` caches its entry and is observed.
struct observed_cache : reports, two_clients {
  observed_cache()
      : two_clients(
            {.ours = caching(*this), .theirs = options_for(shared_server().address(), 30s)}) {}

  mutex lock{zk, path};
  mutex theirs{other, path};

  static client_options caching(reports& to) {
    auto options = options_for(shared_server().address(), 30s);
    options.check_interval = 100ms;
    options.lock_cache.emplace();
    options.observer = to.seen;
    options.label = [](std::string_view) { return std::string("cached"); };
    options.log = [&log = to.log](log_level, std::string_view line) {
      if (!line.starts_with("connected to")) log.emplace_back(line);
    };
    return options;
  }

  asio::awaitable<void> use() {
    hold held = co_await lock.acquire(10s);
    co_await held.release();
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(observed_lock_caches, observed_cache, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(grants_without_a_request_are_observed_as_others_are) {
  run(io, [&]() -> asio::awaitable<void> {
    for (int i = 0; i < 3; ++i)
      co_await use();
    const hold held = co_await lock.acquire(10s);
    BOOST_TEST((seen->last_token == held.token()));
    BOOST_TEST(held.token().turn() == 2u);
    const lines wanted{"1 started",  "1 granted",  "1 released", "2 started",
                       "2 granted",  "2 released", "3 started",  "3 granted",
                       "3 released", "4 started",  "4 granted"};
    auto got = seen->taken();
    // The first acquire may start before the client is connected.
    std::erase(got, "connected");
    BOOST_TEST(got == wanted, boost::test_tools::per_element());
    BOOST_TEST(seen->kept() == 1);
  });
}

BOOST_AUTO_TEST_CASE(cached_entry_is_no_hold_in_the_statistics) {
  run(io, [&]() -> asio::awaitable<void> {
    for (int i = 0; i < 5; ++i)
      co_await use();
    BOOST_TEST(zk.cached() == 1u);
    const auto all = zk.stats();
    for (const auto& each : {all.total, all.by_label.at("cached")}) {
      BOOST_TEST(each.acquired == 5u);
      BOOST_TEST(each.released == 5u);
      BOOST_TEST(each.handed_over == 3u);
      BOOST_TEST(each.holds == 0u);
      BOOST_TEST(each.waiters == 0u);
    }
    const hold held = co_await lock.acquire(10s);
    BOOST_TEST(zk.stats().total.holds == 1u);
    BOOST_TEST(zk.stats().total.handed_over == 4u);
  });
}

BOOST_AUTO_TEST_CASE(caching_and_evicting_are_not_logged) {
  run(io, [&]() -> asio::awaitable<void> {
    for (int i = 0; i < 5; ++i)
      co_await use();
    const hold held = co_await theirs.acquire(10s);
    BOOST_TEST(zk.cached() == 0u);
    BOOST_TEST(log.empty(), (log.empty() ? std::string() : log.front()));
  });
}

BOOST_AUTO_TEST_CASE(lost_hold_is_logged_with_the_token_of_its_turn) {
  run(io, [&]() -> asio::awaitable<void> {
    for (int i = 0; i < 3; ++i)
      co_await use();
    const hold held = co_await lock.acquire(10s);
    BOOST_TEST(co_await theirs.break_lock() == 1u);
    BOOST_TEST((co_await held.wait_lost() == errc::entry_deleted));
    const auto logged = [&] { return !log.empty(); };
    co_await eventually(logged);
    BOOST_TEST(log.front().starts_with("lost a lock path=" + path));
    BOOST_TEST(log.front().find(" token=" + held.token().to_string() + ' ') != std::string::npos,
               log.front());
    BOOST_TEST(held.token().turn() == 2u);
  });
}

BOOST_AUTO_TEST_SUITE_END()
