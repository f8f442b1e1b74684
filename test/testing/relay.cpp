#include <zklock/testing.hpp>

#include "support/raw_client.hpp"
#include "testing/relay_hooks.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <optional>
#include <string>

using namespace zklock::testing;
using namespace std::chrono_literals;
using boost::unit_test::timeout;
using std::chrono::steady_clock;

namespace {

struct server_behind_relay {
  server zookeeper;
  relay between{zookeeper.direct_address()};
  raw_client witness{zookeeper.direct_address()};
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(relays, server_behind_relay)

BOOST_AUTO_TEST_CASE(relay_passes_everything_on, *timeout(60)) {
  raw_client client(between.address());
  std::string big(900'000, 'x');
  client.create("/big", big);
  BOOST_TEST((client.get("/big").data == big));
  BOOST_TEST(between.bytes(direction::to_server) > big.size());
  BOOST_TEST(between.bytes(direction::to_client) > big.size());
  BOOST_TEST(between.accepted() == 1U);
  BOOST_TEST(between.connections() == 1U);
  client.close();
  between.wait_for_connections(0);
  BOOST_TEST(between.requests(operation::close_session) == 1U);
}

BOOST_AUTO_TEST_CASE(relay_counts_exactly_what_passed, *timeout(60)) {
  raw_client client(between.address());
  client.add_auth("digest", "a:b");
  client.create("/n");
  client.get("/n", true);
  witness.set("/n", "new");
  BOOST_TEST(client.next_event(10s).has_value());
  BOOST_TEST(between.requests(operation::auth) == 1U);
  BOOST_TEST(between.requests(operation::create) == 1U);
  BOOST_TEST(between.replies(operation::create) == 1U);
  BOOST_TEST(between.replies(operation::get_data) == 1U);
  BOOST_TEST(between.replies(operation::notification) == 1U);
  BOOST_TEST(between.replies(operation::unknown) == 0U);
  BOOST_TEST(between.total_requests() == 3U);
  between.reset_counts();
  BOOST_TEST(between.total_requests() == 0U);
  BOOST_TEST(between.bytes(direction::to_client) == 0U);
}

BOOST_AUTO_TEST_CASE(cut_before_the_reply_loses_the_reply_to_a_create, *timeout(60)) {
  raw_client client(between.address());
  client.create("/first");
  hook lost = relay_hooks(between).cut_before_reply(operation::create);
  BOOST_TEST(!lost.fired());
  BOOST_CHECK_THROW(client.create("/second"), error);
  lost.wait();
  BOOST_TEST(lost.connection() == 1U);
  BOOST_TEST(witness.exists("/second").has_value());
  BOOST_TEST(between.requests(operation::create) == 2U);
  BOOST_TEST(between.replies(operation::create) == 1U);
  // The cut happens once.
  raw_client again(between.address(), {.session_id = client.session_id()});
  again.create("/third");
  client.abandon();
}

BOOST_AUTO_TEST_CASE(cut_before_the_request_loses_the_request, *timeout(60)) {
  raw_client client(between.address());
  hook lost = relay_hooks(between).cut_before_request(operation::create);
  client.ping();
  BOOST_CHECK_THROW(client.create("/never"), error);
  lost.wait();
  witness.sync();
  BOOST_TEST(!witness.exists("/never"));
  BOOST_TEST(between.requests(operation::create) == 0U);
  client.abandon();
}

BOOST_AUTO_TEST_CASE(cut_after_a_request_of_certain_content, *timeout(60)) {
  raw_client client(between.address());
  hook cut = relay_hooks(between).when(
      direction::to_server,
      [](const frame& one) {
        return one.kind == operation::create && one.bytes.find("/picked") != one.bytes.npos;
      },
      reaction::cut_after);
  client.create("/other");
  BOOST_TEST(!cut.fired());
  BOOST_CHECK_THROW(client.create("/picked"), error);
  cut.wait();
  BOOST_TEST(between.connections() == 0U);
  BOOST_TEST(between.requests(operation::create) == 2U);
  client.abandon();
}

BOOST_AUTO_TEST_CASE(hook_runs_when_its_frame_passes, *timeout(60)) {
  raw_client client(between.address());
  std::int32_t seen_error = 0;
  hook failed = relay_hooks(between).when(
      direction::to_client,
      [&](const frame& one) {
        seen_error = one.error;
        return one.error != 0;
      },
      reaction::observe);
  client.create("/n");
  BOOST_CHECK_THROW(failed.wait(1ms), error);
  BOOST_CHECK_THROW(client.create("/n"), server_error);
  failed.wait();
  BOOST_TEST(seen_error == -110);
}

BOOST_AUTO_TEST_CASE(cancelled_hook_does_not_run, *timeout(60)) {
  raw_client client(between.address());
  hook one = relay_hooks(between).cut_before_request(operation::create);
  BOOST_TEST(!one.cancel());
  client.create("/n");
  BOOST_CHECK_THROW(one.wait(), error);
  BOOST_TEST(!one.fired());
}

BOOST_AUTO_TEST_CASE(silence_begins_at_a_certain_frame, *timeout(60)) {
  raw_client client(between.address(), {.limit = 300ms});
  hook silent = relay_hooks(between).when(
      direction::to_client, [](const frame& one) { return one.kind == operation::create; },
      reaction::silence_before);
  BOOST_CHECK_THROW(client.create("/n"), error);
  silent.wait();
  BOOST_TEST(witness.exists("/n").has_value());
  BOOST_TEST(between.connections() == 1U);
  // Other connections are not affected.
  raw_client(between.address()).ping();
  between.heal();
  client.abandon();
  between.wait_for_connections(0);
}

BOOST_AUTO_TEST_CASE(bytes_held_back_during_silence_arrive_after_it, *timeout(60)) {
  raw_client client(between.address());
  client.create("/n");
  client.get("/n", true);
  between.silence(direction::to_client);
  witness.remove("/n");
  BOOST_TEST(!client.next_event(100ms));
  between.heal();
  auto event = client.next_event(10s);
  BOOST_REQUIRE(event);
  BOOST_TEST(event->type == 2);
  client.ping();
}

BOOST_AUTO_TEST_CASE(connection_made_and_closed_during_silence_is_not_passed_on, *timeout(60)) {
  between.silence();
  BOOST_CHECK_THROW(raw_client(between.address(), {.limit = 100ms}), error);
  between.heal();
  between.wait_for_connections(0);
  BOOST_TEST(between.requests(operation::connect) == 0U);
}

BOOST_AUTO_TEST_CASE(refusing_relay_accepts_again, *timeout(60)) {
  raw_client client(between.address());
  between.refuse();
  BOOST_CHECK_THROW(client.ping(), error);
  BOOST_CHECK_THROW(raw_client(between.address()), error);
  between.accept();
  raw_client(between.address()).ping();
  between.refuse();
  between.heal();
  raw_client(between.address()).ping();
}

BOOST_AUTO_TEST_CASE(cut_closes_existing_connections_only, *timeout(60)) {
  raw_client client(between.address());
  between.cut();
  BOOST_CHECK_THROW(client.ping(), error);
  BOOST_TEST(between.connections() == 0U);
  raw_client(between.address()).ping();
}

BOOST_AUTO_TEST_CASE(delay_applies_in_both_directions, *timeout(60)) {
  raw_client client(between.address());
  between.delay(direction::to_server, 150ms);
  between.delay(direction::to_client, 150ms);
  auto begin = steady_clock::now();
  client.ping();
  BOOST_TEST((steady_clock::now() - begin >= 300ms));
  between.heal();
  begin = steady_clock::now();
  for (int i = 0; i != 5; ++i)
    client.ping();
  BOOST_TEST((steady_clock::now() - begin < 1s));
}

BOOST_AUTO_TEST_CASE(wait_for_connections_ends_at_their_number, *timeout(60)) {
  BOOST_CHECK_THROW(between.wait_for_connections(1, 10ms), error);
  std::optional<raw_client> client(std::in_place, between.address());
  between.wait_for_connections(1);
  client.reset();
  between.wait_for_connections(0);
}

BOOST_AUTO_TEST_CASE(relay_without_frames_passes_any_protocol_on, *timeout(60)) {
  relay any_bytes(zookeeper.direct_address(), {.frames = false});
  raw_client client(any_bytes.address());
  client.create("/n");
  BOOST_TEST(any_bytes.total_requests() == 0U);
  BOOST_TEST(any_bytes.bytes(direction::to_server) > 0U);
  BOOST_CHECK_THROW(relay_hooks(any_bytes).cut_before_reply(operation::create), error);
}

BOOST_AUTO_TEST_CASE(connection_to_a_missing_target_is_closed, *timeout(60)) {
  zookeeper.stop();
  BOOST_CHECK_THROW(raw_client(between.address()), error);
  between.wait_for_connections(0);
  witness.abandon();
}

BOOST_AUTO_TEST_CASE(bad_address_is_reported, *timeout(60)) {
  BOOST_CHECK_THROW(relay("localhost"), error);
  BOOST_CHECK_THROW(relay("localhost:2181"), error);
  BOOST_CHECK_THROW(relay("127.0.0.1:x"), error);
  BOOST_CHECK_THROW(relay("127.0.0.1:65536"), error);
  BOOST_CHECK_THROW(relay("127.0.0.1:2181", {.port = between.port()}), error);
}

BOOST_AUTO_TEST_SUITE_END()
