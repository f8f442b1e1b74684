// client::held_locks and client::awaited_locks: the holds and waits of a client, listed without a
// request.
//
// Source: w3c/web-locks#44.
#include "inspect/looking.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace zklock;
using namespace zklock::test;

namespace {

template <class Listed>
Listed at_path(const std::vector<Listed>& all, const std::string& path) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Listed& each) { return each.path == path; });
  if (found == all.end()) throw std::runtime_error(path + " is not listed");
  return *found;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(own_locks, looking_scene, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(holds_of_every_kind_are_listed_without_a_request) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    BOOST_TEST((co_await other.held_locks()).empty());
    mutex m(other, path + "/m");
    shared_mutex rw(other, path + "/rw");
    semaphore s(other, path + "/s", 3);
    const hold first = co_await m.acquire(10s);
    const hold reading = co_await rw.acquire_shared(10s);
    hold permits = co_await s.acquire(2, 10s);
    door.reset_counts();
    const auto all = co_await other.held_locks();
    BOOST_TEST(requests_sent() == "");
    BOOST_TEST_REQUIRE(all.size() == 3u);
    const auto mine = at_path(all, path + "/m");
    BOOST_TEST((mine.type == lock_type::mutex));
    BOOST_TEST((mine.role == participant_role::exclusive));
    BOOST_TEST(mine.permits == 1u);
    BOOST_TEST(mine.node == first.node());
    BOOST_TEST((mine.token == first.token()));
    BOOST_TEST((mine.since == first.held_since()));
    BOOST_TEST((mine.state == hold_state::held));
    const auto shared = at_path(all, path + "/rw");
    BOOST_TEST((shared.type == lock_type::shared_mutex));
    BOOST_TEST((shared.role == participant_role::shared));
    const auto counted = at_path(all, path + "/s");
    BOOST_TEST((counted.type == lock_type::semaphore));
    BOOST_TEST((counted.role == participant_role::permit));
    BOOST_TEST(counted.permits == 2u);
    co_await permits.release();
    BOOST_TEST((co_await other.held_locks()).size() == 2u);
  });
}

BOOST_AUTO_TEST_CASE(waits_are_listed_with_their_deadlines) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    enter(uuid('1') + "-lock-");
    mutex m(other, path);
    BOOST_TEST((co_await other.awaited_locks()).empty());
    using clock = std::chrono::steady_clock;
    const auto before = clock::now();
    pending<hold> timed;
    pending<hold> endless;
    m.acquire(60s, timed.token());
    const auto after = clock::now();
    asio::cancellation_signal stop;
    m.acquire(asio::bind_cancellation_slot(stop.slot(), endless.token()));
    auto all = co_await other.awaited_locks();
    BOOST_TEST_REQUIRE(all.size() == 2u);
    std::sort(all.begin(), all.end(),
              [](const auto& a, const auto& b) { return a.deadline < b.deadline; });
    BOOST_TEST(all[0].path == path);
    BOOST_TEST((all[0].type == lock_type::mutex));
    BOOST_TEST((all[0].since >= before && all[0].since <= after));
    BOOST_TEST((all[0].deadline == all[0].since + 60s));
    BOOST_TEST((all[1].deadline == clock::time_point::max()));
    BOOST_TEST((co_await other.held_locks()).empty());
    stop.emit(asio::cancellation_type::total);
    BOOST_TEST((std::get<0>(co_await endless.get()) == asio::error::operation_aborted));
    BOOST_TEST((co_await other.awaited_locks()).size() == 1u);
  });
}

BOOST_AUTO_TEST_CASE(hold_is_in_doubt_without_a_connection) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    mutex m(other, path);
    const hold held = co_await m.acquire(10s);
    door.refuse();
    const auto cut = [&] { return !other.connected(); };
    co_await eventually(cut);
    const auto all = co_await other.held_locks();
    BOOST_TEST_REQUIRE(all.size() == 1u);
    BOOST_TEST((all[0].state == hold_state::in_doubt));
    BOOST_TEST((held.state() == hold_state::in_doubt));
    door.heal();
  });
}

BOOST_AUTO_TEST_CASE(closed_client_lists_nothing) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    co_await other.close();
    const auto [error, none] = co_await other.held_locks(as_result);
    BOOST_TEST((error == errc::closed));
    const auto [also, nothing] = co_await other.awaited_locks(as_result);
    BOOST_TEST((also == errc::closed));
  });
}

BOOST_AUTO_TEST_SUITE_END()
