#include "stage.hpp"
#include "support/jute_writer.hpp"

#include <boost/test/unit_test.hpp>

namespace ensemble_test {

using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(deterministic_clients)

BOOST_AUTO_TEST_CASE(write_from_the_older_server_of_a_moved_session_ends_its_connection) {
  for (int from = 0; from != servers::replicas; ++from) {
    stage on(1);
    wire older(on, from);
    older.connect();
    older.create(1, "/before");
    BOOST_TEST(older.wait(1));
    wire newer(on, (from + 1) % servers::replicas);
    newer.connect(older.session());
    BOOST_TEST(newer.session() == older.session());
    older.create(2, "/moved");
    BOOST_TEST(older.wait_closed());
    BOOST_TEST(older.replies().size() == 1u);
    BOOST_TEST(!on.has("/moved"));
    newer.create(1, "/after");
    BOOST_TEST(newer.wait(1));
    BOOST_TEST(on.has("/after"));
  }
}

BOOST_AUTO_TEST_CASE(same_server_closes_the_older_connection_of_a_session) {
  stage on(1);
  wire older(on, 0);
  older.connect();
  wire newer(on, 0);
  newer.connect(older.session());
  BOOST_TEST(newer.session() == older.session());
  BOOST_TEST(older.wait_closed());
}

BOOST_AUTO_TEST_CASE(client_that_has_seen_a_newer_transaction_is_refused) {
  stage on(1);
  wire ahead(on, 0);
  ahead.connect(0, on.ensemble.newest().last + 1);
  BOOST_TEST(ahead.is_closed());
  BOOST_TEST(!ahead.is_answered());
}

BOOST_AUTO_TEST_CASE(unknown_session_and_wrong_password_are_refused) {
  stage on(1);
  for (int at = 0; at != servers::replicas; ++at) {
    wire known(on, at);
    known.connect();
    wire guessing(on, at);
    guessing.connect(known.session(), 0, false);
    BOOST_TEST(guessing.is_answered());
    BOOST_TEST(guessing.session() == 0);
    BOOST_TEST(guessing.wait_closed());
    wire unknown(on, at);
    unknown.connect(4711);
    BOOST_TEST(unknown.is_answered());
    BOOST_TEST(unknown.session() == 0);
    BOOST_TEST(unknown.wait_closed());
  }
}

BOOST_AUTO_TEST_CASE(closed_session_leaves_no_ephemeral_node) {
  stage on(1);
  wire one(on, on.some_follower());
  one.connect();
  one.create(1, "/mine", 1);
  BOOST_TEST(one.wait(1));
  BOOST_TEST(on.has("/mine"));
  one.send(2, -11, {});
  BOOST_TEST(one.wait_closed());
  BOOST_TEST(one.replies().size() == 2u);
  BOOST_TEST(!on.has("/mine"));
  BOOST_TEST(!on.ensemble.newest().has_session(one.session()));
}

BOOST_AUTO_TEST_CASE(without_a_quorum_no_client_is_served) {
  stage on(1);
  const auto left = on.ensemble.leader();
  for (int each = 0; each != servers::replicas; ++each)
    if (each != left) on.ensemble.crash(each);
  BOOST_TEST(on.run_until([&] { return on.ensemble.state(left) == servers::role::looking; }));
  for (int each = 0; each != servers::replicas; ++each) {
    wire refused(on, each);
    refused.connect();
    BOOST_TEST(refused.is_closed());
    BOOST_TEST(!refused.is_answered());
  }
  on.ensemble.restart((left + 1) % servers::replicas);
  BOOST_TEST(on.run_until([&] { return on.ensemble.leader() >= 0; }));
  wire served(on, on.ensemble.leader());
  served.connect();
  BOOST_TEST(served.session() != 0);
}

// `sync` asks no quorum.
BOOST_AUTO_TEST_CASE(deposed_leader_answers_sync_and_no_write) {
  stage on(1);
  const auto leader = on.ensemble.leader();
  wire one(on, leader);
  one.connect();
  on.ensemble.isolate(leader);
  on.run_for(1ms);
  zklock::detail::jute_writer path;
  path.put_string("/");
  one.send(1, 9, path.bytes());
  BOOST_TEST(one.wait(1));
  one.create(2, "/uncommitted");
  BOOST_TEST(one.wait_closed());
  BOOST_TEST(one.replies().size() == 1u);
  on.ensemble.heal_all();
  on.run_for(30s);
  BOOST_TEST(!on.has("/uncommitted"));
  BOOST_TEST(on.fault == "");
}

BOOST_AUTO_TEST_CASE(empty_container_is_reaped) {
  servers::ensemble_options options;
  options.container_period = 1s;
  stage on(1, options);
  wire one(on, 0);
  one.connect();
  one.create(1, "/unused", 4, 19);
  one.create(2, "/used", 4, 19);
  one.create(3, "/used/child");
  BOOST_TEST(one.wait(3));
  on.run_for(3s);
  BOOST_TEST(on.has("/used/child"));
  one.remove(4, "/used/child");
  BOOST_TEST(one.wait(4));
  BOOST_TEST(on.run_until([&] { return !on.has("/used"); }));
  BOOST_TEST(on.has("/unused"));
}

BOOST_AUTO_TEST_CASE(replies_keep_their_order_while_reading_is_throttled) {
  servers::ensemble_options options;
  options.outstanding_limit = 5;
  for (int at = 0; at != servers::replicas; ++at) {
    stage on(1, options);
    wire one(on, at);
    one.connect();
    constexpr std::int32_t count = 300;
    for (std::int32_t xid = 1; xid <= count; ++xid)
      one.create(xid, "/n" + std::to_string(xid));
    BOOST_REQUIRE(one.wait(count));
    for (std::int32_t xid = 1; xid <= count; ++xid)
      BOOST_TEST(one.replies()[static_cast<std::size_t>(xid - 1)].xid == xid);
  }
}

BOOST_AUTO_TEST_CASE(overloaded_replica_refuses_requests_without_carrying_them_out) {
  for (int at = 0; at != servers::replicas; ++at) {
    stage on(1);
    wire one(on, at);
    one.connect();
    on.ensemble.refuse(at, {.percent = 100});
    on.run_for(1ms);
    one.create(1, "/refused");
    BOOST_REQUIRE(one.wait(1));
    BOOST_TEST(one.replies().front().error == -127);
    on.ensemble.heal_all();
    on.run_for(1ms);
    one.create(2, "/accepted");
    BOOST_REQUIRE(one.wait(2));
    BOOST_TEST(one.replies().back().error == 0);
    BOOST_TEST(!on.has("/refused"));
    BOOST_TEST(on.has("/accepted"));
  }
}

// Beyond the last number the servers give two nodes an equal number.
BOOST_AUTO_TEST_CASE(numbers_of_a_directory_end) {
  servers::ensemble_options options;
  options.first_number = 2147483646;
  stage on(1, options);
  wire one(on, 0);
  one.connect();
  constexpr std::int32_t sequential = 2;
  one.create(1, "/a");
  one.create(2, "/a/x-", sequential);
  one.create(3, "/a/y-", sequential);
  BOOST_REQUIRE(one.wait(3));
  one.create(4, "/a/z-", sequential);
  BOOST_REQUIRE(one.wait(4));
  BOOST_TEST(on.has("/a/x-2147483646"));
  BOOST_TEST(on.has("/a/y-2147483647"));
  BOOST_TEST(on.has("/a/z-2147483647"));
}

BOOST_AUTO_TEST_CASE(paused_replica_answers_when_it_continues) {
  stage on(1);
  wire one(on, on.some_follower());
  one.connect();
  on.ensemble.pause(on.some_follower(), 2s);
  on.run_for(1ms);
  one.create(1, "/late");
  on.run_for(1900ms);
  BOOST_TEST(one.replies().empty());
  BOOST_TEST(one.wait(1));
  BOOST_TEST(on.has("/late"));
}

BOOST_AUTO_TEST_CASE(replica_without_power_is_silent_until_it_starts) {
  for (int at = 0; at != servers::replicas; ++at) {
    stage on(1);
    wire one(on, at);
    one.connect();
    on.ensemble.lose_power(at);
    on.run_for(1ms);
    one.create(1, "/unheard");
    BOOST_TEST(on.run_until([&] { return !on.expired.empty(); }));
    BOOST_TEST(on.expired.front().second == one.session());
    BOOST_TEST(!one.is_closed());
    on.ensemble.restart(at);
    BOOST_TEST(one.wait_closed());
    BOOST_TEST(!on.has("/unheard"));
    BOOST_TEST(
        on.run_until([&] { return on.ensemble.data(at).last == on.ensemble.newest().last; }));
    BOOST_TEST(on.fault == "");
  }
}

BOOST_AUTO_TEST_CASE(garbled_replies_are_wrong_in_the_chosen_way) {
  using servers::garbage;
  for (const auto how : {garbage::random_bytes, garbage::wrong_xid, garbage::truncated_frame,
                         garbage::huge_length, garbage::silence}) {
    stage on(1);
    wire one(on, 0);
    one.connect();
    on.ensemble.garble(0, how, 100);
    on.run_for(1ms);
    const auto before = one.raw().size();
    one.create(1, "/garbled");
    on.run_for(1s);
    BOOST_TEST(on.has("/garbled"));
    const auto received = one.raw().size() - before;
    BOOST_TEST(one.is_closed() == (how == garbage::truncated_frame));
    BOOST_TEST((received == 0) == (how == garbage::silence));
    for (const auto& each : one.replies())
      BOOST_TEST(each.xid != 1);
    on.ensemble.heal_all();
    wire next(on, 0);
    next.connect();
    BOOST_TEST(next.session() != 0);
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace ensemble_test
