// Addresses where no usable ZooKeeper server listens.
#include <zklock/testing/relay.hpp>

#include "support/world.hpp"
#include "zookeeper/canned_server.hpp"
#include "zookeeper/scripted_server.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

using namespace zklock;
using namespace zklock::test;
using std::chrono::steady_clock;

namespace {

struct server_setting {
  asio::io_context io{1};
  testing::raw_client witness{shared_server().direct_address()};

  static asio::awaitable<void> expect(mutex lock, std::chrono::milliseconds timeout,
                                      error_code expected) {
    const auto begun = steady_clock::now();
    const auto result = co_await lock.acquire(timeout, asio::as_tuple(asio::deferred));
    BOOST_TEST(std::get<0>(result) == expected);
    BOOST_TEST((std::get<1>(result).state() == hold_state::empty));
    // The client retries until the timeout.
    BOOST_TEST((steady_clock::now() - begun >= timeout));
  }

  // An acquire with a timeout, and a try, which has a time limit of its own.
  void expect_both(const std::string& address, error_code expected) {
    auto options = options_for(address);
    options.connect_timeout = 400ms;
    client zk(io, options);
    run(io, [&]() -> asio::awaitable<void> {
      mutex lock(zk, fresh_path());
      std::vector<asio::awaitable<void>> both;
      both.push_back(expect(lock, 300ms, expected));
      both.push_back(expect(lock, 0ms, expected));
      const auto begun = steady_clock::now();
      co_await together(std::move(both));
      BOOST_TEST((steady_clock::now() - begun >= 400ms));
    });
  }

  asio::awaitable<error_code> outcome(mutex lock) {
    const auto result = co_await lock.acquire(10s, asio::as_tuple(asio::deferred));
    co_return std::get<0>(result);
  }
};

asio::awaitable<void> hang_up(tcp::acceptor& acceptor) {
  for (;;)
    co_await acceptor.async_accept(asio::use_awaitable);
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(bad_servers, server_setting, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(acquire_at_a_web_server_fails_not_zookeeper) {
  canned_server server(
      io, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  expect_both(server.address(), errc::not_zookeeper);
  BOOST_TEST(server.clients() > 1);
}

BOOST_AUTO_TEST_CASE(acquire_at_a_server_that_sends_garbage_fails_not_zookeeper) {
  canned_server server(io, std::string("\x7f\xff\xff\xff", 4) + std::string(1000, '\x01'));
  expect_both(server.address(), errc::not_zookeeper);
}

BOOST_AUTO_TEST_CASE(acquire_at_a_silent_server_fails_not_connected) {
  testing::relay silent(shared_server().direct_address());
  silent.silence();
  expect_both(silent.address(), errc::not_connected);
}

BOOST_AUTO_TEST_CASE(acquire_at_a_server_that_hangs_up_fails_not_connected) {
  tcp::acceptor acceptor(io, {asio::ip::address_v4::loopback(), 0});
  asio::co_spawn(io, hang_up(acceptor), asio::detached);
  expect_both("127.0.0.1:" + std::to_string(acceptor.local_endpoint().port()), errc::not_connected);
}

BOOST_AUTO_TEST_CASE(acquire_at_a_refused_port_fails_not_connected) {
  testing::relay door(shared_server().direct_address());
  door.refuse();
  expect_both(door.address(), errc::not_connected);
}

BOOST_AUTO_TEST_CASE(acquire_at_an_unknown_host_fails_not_connected) {
  expect_both("no-such-host.invalid:2181", errc::not_connected);
}

BOOST_AUTO_TEST_CASE(server_of_another_protocol_is_skipped_for_a_good_one) {
  canned_server server(io, "SSH-2.0-OpenSSH_9.2p1\r\n");
  client zk(io, options_for(server.address() + "," + shared_server().address()));
  run(io, [&]() -> asio::awaitable<void> {
    const auto error = co_await outcome({zk, fresh_path()});
    BOOST_TEST(!error);
  });
}

BOOST_AUTO_TEST_CASE(acquire_at_a_server_silent_after_the_handshake_fails_not_connected) {
  scripted_server server(io, [](int index, std::string_view) -> std::optional<std::string> {
    return index == 0 ? handshake() : "";
  });
  client zk(io, options_for(server.address()));
  run(io, [&]() -> asio::awaitable<void> {
    co_await expect({zk, fresh_path()}, 300ms, errc::not_connected);
    BOOST_TEST(zk.connected());
  });
}

BOOST_AUTO_TEST_CASE(acquire_at_a_read_only_server_fails_not_connected) {
  scripted_server server(
      io, [](int, std::string_view) { return handshake(6000, scripted_session, true); });
  expect_both(server.address(), errc::not_connected);
}

BOOST_AUTO_TEST_CASE(acquire_with_an_impossible_session_timeout_fails_not_zookeeper) {
  scripted_server server(io, [](int, std::string_view) { return handshake(0); });
  expect_both(server.address(), errc::not_zookeeper);
}

BOOST_AUTO_TEST_CASE(unusable_session_timeout_of_one_server_is_skipped_for_a_good_one) {
  for (const std::int32_t timeout : {0, -1, 1, std::numeric_limits<std::int32_t>::max()}) {
    scripted_server server(io, [=](int, std::string_view) { return handshake(timeout); });
    for (int i = 0; i < 3; ++i) {
      client zk(io, options_for(server.address() + "," + shared_server().address()));
      run(io, [&]() -> asio::awaitable<void> {
        const auto error = co_await outcome({zk, fresh_path()});
        BOOST_TEST(!error);
      });
    }
  }
}

BOOST_AUTO_TEST_CASE(acquire_below_a_missing_chroot_fails_no_chroot) {
  const auto chroot = fresh_path("chroot");
  client zk(io, options_for(shared_server().address() + chroot));
  run(io, [&]() -> asio::awaitable<void> {
    for (const auto* path : {"/lock", "/a/b/lock"}) {
      mutex lock(zk, path);
      const auto error = co_await outcome(lock);
      BOOST_TEST(error == errc::no_chroot);
      const auto tried = co_await lock.try_acquire(asio::as_tuple(asio::deferred));
      BOOST_TEST(std::get<0>(tried) == errc::no_chroot);
    }
    BOOST_TEST(!witness.exists(chroot).has_value());
    // The chroot may be created later.
    witness.create_all(chroot);
    for (const auto* path : {"/lock", "/a/b/lock"}) {
      const auto error = co_await outcome({zk, path});
      BOOST_TEST(!error);
    }
  });
}

BOOST_AUTO_TEST_CASE(lock_path_is_below_an_existing_chroot) {
  const auto chroot = fresh_path("chroot");
  witness.create_all(chroot);
  client inside(io, options_for(shared_server().address() + chroot));
  client outside(io, options_for(shared_server().address()));
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(inside, "/locks/a");
    mutex same(outside, chroot + "/locks/a");
    const hold held = co_await lock.acquire(10s);
    BOOST_TEST(held.node().starts_with(chroot + "/locks/a/_c_"));
    BOOST_TEST(lock.path() == "/locks/a");
    BOOST_TEST(entries(witness, chroot + "/locks/a") == 1u);
    BOOST_TEST(!(co_await same.try_acquire()));
  });
}

BOOST_AUTO_TEST_CASE(acquire_with_an_unknown_scheme_fails_authentication_failed) {
  auto options = options_for(shared_server().address());
  options.credentials = {{"no-such-scheme", "secret"}};
  client zk(io, options);
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, fresh_path());
    auto error = co_await outcome(lock);
    BOOST_TEST(error == errc::authentication_failed);
    // The failure is final.
    error = co_await outcome(lock);
    BOOST_TEST(error == errc::authentication_failed);
    BOOST_TEST(!zk.connected());
    // No request was carried out: no entry is left.
    const auto [closed] = co_await zk.close(asio::as_tuple(asio::deferred));
    BOOST_TEST(!closed);
  });
}

BOOST_AUTO_TEST_CASE(acquire_at_servers_that_demand_authentication_fails_authentication_failed) {
  const testing::server strict({.system_properties = {"zookeeper.enforce.auth.enabled=true",
                                                      "zookeeper.enforce.auth.schemes=digest"}});
  auto options = options_for(strict.address());
  std::vector<std::string> lines;
  options.log = [&](log_level, std::string_view line) { lines.emplace_back(line); };
  client anonymous(io, options);
  options.credentials = {{.secret = "anna:secret"}};
  client known(io, options);
  run(io, [&]() -> asio::awaitable<void> {
    const auto path = fresh_path();
    mutex lock(known, path);
    const hold held = co_await lock.acquire(10s);
    BOOST_TEST(held.owns_lock());
    mutex forbidden(anonymous, path);
    const auto [error, none] = co_await forbidden.acquire(asio::as_tuple(asio::deferred));
    BOOST_TEST(error == errc::authentication_failed);
    const auto [closed] = co_await anonymous.close(asio::as_tuple(asio::deferred));
    BOOST_TEST(!closed);
  });
  const auto says = [&](const std::string& line) {
    return line.find("it demands other credentials: session closed, authentication required") !=
           line.npos;
  };
  BOOST_TEST(std::count_if(lines.begin(), lines.end(), says) == 1);
}

BOOST_AUTO_TEST_CASE(session_timeout_that_servers_lower_too_far_fails_the_acquire) {
  auto options = options_for(shared_server().address(), 2 * longest_session_timeout);
  options.check_interval = 3 * longest_session_timeout / 4;
  client zk(io, options);
  run(io, [&]() -> asio::awaitable<void> {
    const auto error = co_await outcome({zk, fresh_path()});
    BOOST_TEST(error == errc::session_timeout_too_short);
  });
}

BOOST_AUTO_TEST_SUITE_END()
