// Servers that violate the protocol.
#include <zklock/testing/relay.hpp>

#include "scripted_server.hpp"
#include "user.hpp"

#include <boost/test/unit_test.hpp>

#include <sys/resource.h>

#include <limits>
#include <set>

using namespace zklock::test;
namespace testing = zklock::testing;
using zklock::errc;

namespace {

/// Accepts the session, and answers the first request with this.
scripted_server::script
answer_a_request_with(std::function<std::string(std::int32_t number)> what) {
  return [what = std::move(what)](int index, std::string_view frame) -> std::optional<std::string> {
    if (index == 0) return handshake();
    return number_of(frame) > 0 ? what(number_of(frame)) : "";
  };
}

/// Makes a request, and waits until the answer has cost the connection.
void expect_loss(scripted_server::script answers, std::string_view why,
                 const std::function<void(user&)>& request) {
  asio::io_context io{1};
  scripted_server server(io, std::move(answers));
  user self(io, server.address());
  self.start();
  self.wait_connected();
  request(self);
  self.wait_disconnected();
  BOOST_TEST(self.answers.empty());
  BOOST_TEST(self.watches.empty());
  BOOST_TEST(self.logged("lost the connection to " + server.address() + ": " + std::string(why)));
  // The session continues.
  self.wait_connected(2);
  BOOST_TEST(self.new_sessions == 1);
}

void list(user& self) {
  self.session->send(zookeeper::list{.path = "/"}, self, {1, 0});
}

} // namespace

BOOST_AUTO_TEST_SUITE(protocol_violations)

BOOST_AUTO_TEST_CASE(reply_without_a_request_closes_the_connection) {
  const auto at_once = [](int index, std::string_view) -> std::optional<std::string> {
    return index == 0 ? handshake() + reply_frame(1) : "";
  };
  expect_loss(at_once, "it replied to request 1, which was not sent", [](user&) {});
}

BOOST_AUTO_TEST_CASE(reply_to_another_request_closes_the_connection) {
  expect_loss(answer_a_request_with([](std::int32_t number) { return reply_frame(number + 1); }),
              "it replied to request", [](user& self) {
                list(self);
                list(self);
              });
}

BOOST_AUTO_TEST_CASE(answer_to_credentials_not_sent_closes_the_connection) {
  for (const int error : {0, -115})
    expect_loss(answer_a_request_with([=](std::int32_t) { return reply_frame(-4, {}, error); }),
                "it replied to credentials", list);
}

BOOST_AUTO_TEST_CASE(impossible_length_closes_the_connection) {
  for (const std::int32_t announced : {-1, std::numeric_limits<std::int32_t>::min(), 0, 15})
    expect_loss(answer_a_request_with([=](std::int32_t) { return encoded(announced); }),
                "it announced a message of " + std::to_string(announced) + " bytes", list);
}

BOOST_AUTO_TEST_CASE(message_of_two_gigabytes_closes_the_connection_at_once) {
  rusage before{}, after{};
  ::getrusage(RUSAGE_SELF, &before);
  expect_loss(answer_a_request_with([](std::int32_t) {
                return encoded(std::numeric_limits<std::int32_t>::max()) +
                       std::string(20'000'000, 'x');
              }),
              "it announced a message of 2147483647 bytes", list);
  ::getrusage(RUSAGE_SELF, &after);
  // The memory that the scripted server itself takes, and not as much again.
  BOOST_TEST(after.ru_maxrss - before.ru_maxrss < 60 * 1024);
}

BOOST_AUTO_TEST_CASE(unfinished_message_takes_memory_only_for_what_has_arrived) {
  asio::io_context io{1};
  scripted_server server(
      io, answer_a_request_with([](std::int32_t) { return encoded(60'000'000) + "x"; }));
  user self(io, server.address(), 1500ms);
  self.start();
  self.wait_connected();
  rusage before{}, after{};
  ::getrusage(RUSAGE_SELF, &before);
  list(self);
  self.wait_disconnected();
  ::getrusage(RUSAGE_SELF, &after);
  BOOST_TEST(after.ru_maxrss - before.ru_maxrss < 20 * 1024);
}

BOOST_AUTO_TEST_CASE(truncated_reply_closes_the_connection) {
  const std::function<void(user&)> requests[] = {
      [](user& self) {
        self.session->send(zookeeper::create_directory{.path = "/a"}, self, {1, 0});
      },
      [](user& self) {
        self.session->send(zookeeper::create_entry{.path = "/a/b-", .data = "data"}, self, {1, 0});
      },
      [](user& self) {
        self.session->send(zookeeper::list{.path = "/a"}, self, {1, 0});
      },
      [](user& self) {
        self.session->send(zookeeper::get{.path = "/a", .watch = true}, self, {1, 0});
      },
      [](user& self) {
        self.session->send(zookeeper::exists{.path = "/a", .watch = true}, self, {1, 0});
      },
      [](user& self) { self.session->sync("/a"); },
      [](user& self) {
        self.session->send(zookeeper::set{.path = "/a", .data = "data"}, self, {1, 0});
      },
      [](user& self) {
        self.session->send(zookeeper::check{.paths = std::vector<std::string>{"/a"}}, self, {1, 0});
      },
  };
  // Nothing, a length that is too long, a negative length.
  for (const auto& body : {std::string(), encoded(1000), encoded(-1000) + std::string(20, 'x')})
    for (const auto& request : requests)
      expect_loss(
          answer_a_request_with([&](std::int32_t number) { return reply_frame(number, body); }),
          "its reply to request", request);
}

BOOST_AUTO_TEST_CASE(read_only_server_is_refused) {
  asio::io_context io{1};
  scripted_server server(
      io, [](int, std::string_view) { return handshake(6000, scripted_session, true); });
  user self(io, server.address() + ',' + shared_server().address());
  self.start();
  self.wait_connected();
  self.wait("both", [&] { return self.logged("connected to " + shared_server().address()); });
  BOOST_TEST(self.connected == 1);
}

BOOST_AUTO_TEST_CASE(impossible_session_timeout_is_refused) {
  for (const std::int32_t timeout : {0, -5, std::numeric_limits<std::int32_t>::max()}) {
    asio::io_context io{1};
    scripted_server server(io, [=](int, std::string_view) { return handshake(timeout); });
    user self(io, server.address());
    self.start();
    self.wait("found out", [&] { return self.session->connect_error() == errc::not_zookeeper; });
    BOOST_TEST(self.connected == 0);
    BOOST_TEST(self.logged("it granted a session timeout of " + std::to_string(timeout) + " ms"));
  }
}

BOOST_AUTO_TEST_CASE(too_short_a_session_timeout_of_one_server_is_skipped_for_another) {
  for (int i = 0; i < 6; ++i) {
    asio::io_context io{1};
    scripted_server server(io, [](int, std::string_view) { return handshake(100); });
    user self(io, server.address() + ',' + shared_server().address());
    self.options.refuse_timeout = too_short;
    self.start();
    self.wait_connected();
    BOOST_TEST(self.logged("connected to " + shared_server().address()));
    BOOST_TEST(!self.failure.has_value());
  }
}

BOOST_AUTO_TEST_CASE(too_short_a_session_timeout_of_every_server_ends_the_session) {
  asio::io_context io{1};
  scripted_server one(io, [](int, std::string_view) { return handshake(100); });
  scripted_server other(io, [](int, std::string_view) { return handshake(50); });
  user self(io, one.address() + ',' + other.address());
  self.options.refuse_timeout = too_short;
  self.start();
  self.wait("failed", [&] { return self.failure.has_value(); });
  BOOST_TEST((*self.failure == errc::session_timeout_too_short));
  BOOST_TEST(self.connected == 0);
  BOOST_TEST((one.clients() + other.clients()) == 2);
}

BOOST_AUTO_TEST_CASE(too_short_a_session_timeout_beside_a_dead_server_is_tried_again) {
  asio::io_context io{1};
  scripted_server server(io, [tries = 0](int, std::string_view) mutable {
    return handshake(++tries < 4 ? 100 : 6000);
  });
  user self(io, server.address() + ",127.0.0.1:1");
  self.options.refuse_timeout = too_short;
  self.start();
  self.wait("found out",
            [&] { return self.session->connect_error() == errc::session_timeout_too_short; });
  self.wait_connected();
  BOOST_TEST(!self.failure.has_value());
}

BOOST_AUTO_TEST_SUITE_END()
