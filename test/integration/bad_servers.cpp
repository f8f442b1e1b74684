// What may be wrong with what listens at the address.
#include <zklock/testing/relay.hpp>

#include "support/world.hpp"
#include "zookeeper/liar.hpp"
#include "zookeeper/stranger.hpp"

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

struct setting {
  asio::io_context io{1};
  testing::raw_client witness{shared_server().direct_address()};

  static asio::awaitable<void> expect(mutex lock, std::chrono::milliseconds timeout,
                                      error_code expected) {
    const auto begun = steady_clock::now();
    const auto result = co_await lock.acquire(timeout, asio::as_tuple(asio::deferred));
    BOOST_TEST(std::get<0>(result) == expected);
    BOOST_TEST((std::get<1>(result).state() == hold_state::empty));
    // It goes on trying until the time is up.
    BOOST_TEST((steady_clock::now() - begun >= timeout));
  }

  // A wait and a try, which has a limit of its own.
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

BOOST_FIXTURE_TEST_SUITE(bad_servers, setting, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(a_web_server) {
  stranger server(io, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  expect_both(server.address(), errc::not_zookeeper);
  BOOST_TEST(server.clients() > 1);
}

BOOST_AUTO_TEST_CASE(a_server_that_talks_nonsense) {
  stranger server(io, std::string("\x7f\xff\xff\xff", 4) + std::string(1000, '\x01'));
  expect_both(server.address(), errc::not_zookeeper);
}

BOOST_AUTO_TEST_CASE(a_server_that_says_nothing) {
  testing::relay silent(shared_server().direct_address());
  silent.silence();
  expect_both(silent.address(), errc::not_connected);
}

BOOST_AUTO_TEST_CASE(a_server_that_hangs_up) {
  tcp::acceptor acceptor(io, {asio::ip::address_v4::loopback(), 0});
  asio::co_spawn(io, hang_up(acceptor), asio::detached);
  expect_both("127.0.0.1:" + std::to_string(acceptor.local_endpoint().port()), errc::not_connected);
}

BOOST_AUTO_TEST_CASE(no_server_at_all) {
  testing::relay door(shared_server().direct_address());
  door.refuse();
  expect_both(door.address(), errc::not_connected);
}

BOOST_AUTO_TEST_CASE(a_name_that_nobody_has) {
  expect_both("no-such-host.invalid:2181", errc::not_connected);
}

BOOST_AUTO_TEST_CASE(a_stranger_among_the_servers_does_no_harm) {
  stranger server(io, "SSH-2.0-OpenSSH_9.2p1\r\n");
  client zk(io, options_for(server.address() + "," + shared_server().address()));
  run(io, [&]() -> asio::awaitable<void> {
    const auto error = co_await outcome({zk, fresh_path()});
    BOOST_TEST(!error);
  });
}

BOOST_AUTO_TEST_CASE(a_server_that_says_nothing_behind_the_handshake) {
  liar server(io, [](int index, std::string_view) -> std::optional<std::string> {
    return index == 0 ? handshake() : "";
  });
  client zk(io, options_for(server.address()));
  run(io, [&]() -> asio::awaitable<void> {
    co_await expect({zk, fresh_path()}, 300ms, errc::not_connected);
    BOOST_TEST(zk.connected());
  });
}

BOOST_AUTO_TEST_CASE(a_read_only_server) {
  liar server(io, [](int, std::string_view) { return handshake(6000, liars_session, true); });
  expect_both(server.address(), errc::not_connected);
}

BOOST_AUTO_TEST_CASE(a_session_timeout_that_cannot_be) {
  liar server(io, [](int, std::string_view) { return handshake(0); });
  expect_both(server.address(), errc::not_zookeeper);
}

BOOST_AUTO_TEST_CASE(a_session_timeout_of_one_server_that_is_no_good_does_no_harm) {
  for (const std::int32_t timeout : {0, -1, 1, std::numeric_limits<std::int32_t>::max()}) {
    liar server(io, [=](int, std::string_view) { return handshake(timeout); });
    for (int i = 0; i < 3; ++i) {
      client zk(io, options_for(server.address() + "," + shared_server().address()));
      run(io, [&]() -> asio::awaitable<void> {
        const auto error = co_await outcome({zk, fresh_path()});
        BOOST_TEST(!error);
      });
    }
  }
}

BOOST_AUTO_TEST_CASE(a_chroot_that_is_not_there) {
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
    // It may come later.
    witness.create_all(chroot);
    for (const auto* path : {"/lock", "/a/b/lock"}) {
      const auto error = co_await outcome({zk, path});
      BOOST_TEST(!error);
    }
  });
}

BOOST_AUTO_TEST_CASE(a_chroot_that_is_there) {
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
    const auto tried = co_await same.try_acquire(asio::as_tuple(asio::deferred));
    BOOST_TEST(std::get<0>(tried) == errc::busy);
  });
}

BOOST_AUTO_TEST_CASE(a_scheme_that_the_servers_do_not_know) {
  auto options = options_for(shared_server().address());
  options.credentials = {{"no-such-scheme", "secret"}};
  client zk(io, options);
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, fresh_path());
    auto error = co_await outcome(lock);
    BOOST_TEST(error == errc::authentication_failed);
    // It does not come back.
    error = co_await outcome(lock);
    BOOST_TEST(error == errc::authentication_failed);
    BOOST_TEST(!zk.connected());
  });
}

BOOST_AUTO_TEST_CASE(a_session_timeout_that_the_servers_cut_short) {
  auto options = options_for(shared_server().address(), 120s);
  options.check_interval = 40s;
  client zk(io, options);
  run(io, [&]() -> asio::awaitable<void> {
    const auto error = co_await outcome({zk, fresh_path()});
    BOOST_TEST(error == errc::session_timeout_too_short);
  });
}

BOOST_AUTO_TEST_SUITE_END()
