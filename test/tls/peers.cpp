// Peers that behave in odd ways, in front of a real server.
#include "odd_peer.hpp"

#include <boost/test/unit_test.hpp>

#include <sys/wait.h>

using namespace zklock;
using namespace zklock::test;

namespace {

/// Options whose session is pinged after more time than a test may take.
client_options patient(const std::string& servers) {
  auto options = secure_client::with(servers, accepted_tls());
  options.session_timeout = 60s;
  return options;
}

/// Uses locks and a large list. Nothing but the replies themselves may wake the client: it would
/// be pinged after 20 seconds only.
void use(secure_client& user) {
  for (int i = 0; i < 20; ++i)
    BOOST_REQUIRE_MESSAGE(!user.use_lock(10s), user.log());
  const auto path = fresh_path("listed");
  mutex lock(user.zk(), path);
  const hold held = get(lock.acquire(10s, asio::use_future));
  const auto first = user.zk().session_id();
  BOOST_TEST(get(lock.participants(asio::use_future)).size() == 1u);
  BOOST_TEST(get(user.zk().find_locks("/", asio::use_future)).size() > 0u);
  BOOST_TEST(user.zk().session_id() == first);
  BOOST_TEST(user.logged("connection") == 0, user.log());
}

struct peer_scene {
  std::uint16_t port = [] {
    const auto address = shared_server().address();
    return static_cast<std::uint16_t>(std::stoi(address.substr(address.find(':') + 1)));
  }();
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(peers, peer_scene, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(records_and_segments_of_any_size_cost_no_silence) {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION})
    for (const std::size_t record : {1u, 3u, 16'384u})
      for (const std::size_t write : {1u, 100u, 1u << 20}) {
        odd_peer peer(port, {.engine = {.version = version}, .record = record, .write = write});
        secure_client user(patient(peer.address()));
        use(user);
        user.close();
      }
}

BOOST_AUTO_TEST_CASE(keys_are_updated_before_each_reply) {
  for (const int kind : {SSL_KEY_UPDATE_REQUESTED, SSL_KEY_UPDATE_NOT_REQUESTED}) {
    odd_peer peer(port,
                  {.before_reply = [kind](SSL* connection) { SSL_key_update(connection, kind); }});
    secure_client user(patient(peer.address()));
    use(user);
  }
}

BOOST_AUTO_TEST_CASE(renegotiation_costs_the_connection_at_most) {
  std::atomic<int> replies{0};
  odd_peer peer(port, {.engine = {.version = TLS1_2_VERSION}, .before_reply = [&](SSL* connection) {
                         if (++replies == 5) SSL_renegotiate(connection);
                       }});
  secure_client user(secure_client::with(peer.address(), accepted_tls()));
  for (int i = 0; i < 10; ++i)
    BOOST_TEST(!user.use_lock(), user.log());
}

BOOST_AUTO_TEST_CASE(session_goes_on_after_each_kind_of_end_and_tls_is_resumed) {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    odd_peer peer(port, {.engine = {.version = version}});
    secure_client user(secure_client::with(peer.address(), accepted_tls()));
    BOOST_TEST(!user.use_lock(), user.log());
    const auto session = user.zk().session_id();
    for (const bool notify : {true, false, true}) {
      peer.end(notify);
      wait_until([&] { return !user.zk().connected(); });
      wait_until([&] { return user.zk().connected(); });
    }
    BOOST_TEST(user.zk().session_id() == session);
    BOOST_TEST(user.logged("it closed the connection") == 1, user.log());
    BOOST_TEST(peer.connections() == 4);
    BOOST_TEST(peer.resumed() == 3);
    user.close();
    wait_until([&] { return peer.ended() == 4; });
    BOOST_TEST(peer.was_end_told());
  }
}

BOOST_AUTO_TEST_CASE(silent_and_slow_handshakes_are_left_for_another_server) {
  // Sends nothing, or a byte of a record now and then.
  for (const bool trickles : {false, true}) {
    running_listener bad([trickles](tcp::socket client, int) -> asio::awaitable<void> {
      asio::steady_timer pause(client.get_executor());
      const std::string record("\x16\x03\x03\x40\x00", 5);
      for (std::size_t i = 0;; ++i) {
        pause.expires_after(50ms);
        co_await pause.async_wait(asio::use_awaitable);
        if (!trickles) continue;
        const char next = i < record.size() ? record[i] : 'x';
        co_await asio::async_write(client, asio::buffer(&next, 1), asio::use_awaitable);
      }
    });
    odd_peer good(port, {});
    for (int i = 0; i < 4; ++i) {
      secure_client user(secure_client::with(bad.address() + ',' + good.address(), accepted_tls()));
      BOOST_TEST(!user.use_lock(), user.log());
    }
  }
}

BOOST_AUTO_TEST_CASE(many_locks_wait_for_a_peer_that_does_not_read) {
  auto& server = shared_secure_server();
  auto options = patient(server.secure_address());
  secure_client user(options);
  BOOST_TEST(!user.use_lock(), user.log());
  server.secure_clients().silence(testing::direction::to_server);
  std::vector<mutex> locks;
  std::vector<std::future<hold>> holds;
  for (int i = 0; i < 2'000; ++i) {
    locks.emplace_back(user.zk(), "/locks/many/" + std::to_string(i));
    holds.push_back(locks.back().acquire(60s, asio::use_future));
  }
  // The client goes on to do other work.
  std::promise<void> done;
  asio::post(user.zk().get_executor(), [&done] { done.set_value(); });
  get(done.get_future());
  server.heal();
  for (auto& each : holds)
    BOOST_TEST(get(each).owns_lock());
  BOOST_TEST(user.logged("lost the connection") == 0, user.log());
}

BOOST_AUTO_TEST_CASE(child_of_a_fork_leaves_the_connection_to_its_parent) {
  std::optional<secure_client> user;
  user.emplace(patient(shared_secure_server().secure_address()));
  BOOST_TEST(!user->use_lock(), user->log());
  const pid_t child = ::fork();
  if (child == 0) {
    // The child has no thread that runs the context. It must not use the keys of its parent.
    asio::io_context own;
    client zk(own, secure_client::with(shared_secure_server().secure_address(), accepted_tls()));
    const bool closed = user->zk().state() == connection_state::closed;
    ::_exit(closed ? 0 : 1);
  }
  int status = 0;
  BOOST_REQUIRE(::waitpid(child, &status, 0) == child);
  BOOST_TEST(status == 0);
  for (int i = 0; i < 5; ++i)
    BOOST_TEST(!user->use_lock(), user->log());
  BOOST_TEST(user->logged("lost the connection") == 0, user->log());
}

BOOST_AUTO_TEST_SUITE_END()
