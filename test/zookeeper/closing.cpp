#include <zklock/testing/relay.hpp>

#include "scripted_server.hpp"
#include "testing/relay_hooks.hpp"
#include "user.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <functional>
#include <string>

using namespace zklock::test;
namespace testing = zklock::testing;
using std::chrono::steady_clock;
using zklock::errc;
using zklock::error_code;

BOOST_AUTO_TEST_SUITE(closing)

BOOST_AUTO_TEST_CASE(closed_session_leaves_no_node_behind) {
  asio::io_context io{1};
  user self(io, shared_server().address());
  self.start();
  self.wait_connected();
  const auto directory = self.make_directory();
  self.enter(directory);
  const auto log = self.log.size();
  BOOST_TEST((self.close() == error_code{}));
  testing::raw_client witness(shared_server().address());
  BOOST_TEST(witness.children(directory).empty());
  BOOST_TEST(self.disconnected == 0);
  BOOST_TEST(self.log.size() == log + 1);
  BOOST_TEST(!self.session->connected());
  io.restart();
  io.run_for(5s);
  BOOST_TEST(io.stopped());
}

BOOST_AUTO_TEST_CASE(request_sent_before_close_is_carried_out_but_not_answered) {
  asio::io_context io{1};
  user self(io, shared_server().address());
  self.start();
  self.wait_connected();
  const auto directory = self.make_directory();
  for (int i = 0; i < 200; ++i)
    self.session->send(zookeeper::create_directory{.path = directory + "/" + std::to_string(i)},
                       self, {1, 0});
  BOOST_TEST((self.close() == error_code{}));
  BOOST_TEST(self.answers.empty());
  testing::raw_client witness(shared_server().address());
  BOOST_TEST(witness.children(directory).size() == 200);
}

BOOST_AUTO_TEST_CASE(close_without_a_session_completes) {
  asio::io_context io{1};
  user self(io, "127.0.0.1:1");
  BOOST_TEST_CONTEXT("not started") {
    self.session = session::make(
        zklock::zookeeper::strand(asio::any_io_executor(io.get_executor())), self.options, self);
    BOOST_TEST((self.close() == error_code{}));
  }
  BOOST_TEST_CONTEXT("started") {
    self.start();
    BOOST_TEST((self.close() == error_code{}));
  }
  BOOST_TEST_CONTEXT("waiting") {
    self.start();
    self.wait("a failure", [&] { return self.logged("could not connect to 127.0.0.1:1: "); });
    BOOST_TEST((self.close() == error_code{}));
    BOOST_TEST((self.close() == error_code{}));
  }
  io.restart();
  io.run_for(5s);
  BOOST_TEST(io.stopped());
}

BOOST_AUTO_TEST_CASE(session_outlives_close_where_servers_are_unreachable) {
  testing::relay door(shared_server().direct_address());
  asio::io_context io{1};
  user self(io, door.address());
  self.start();
  self.wait_connected();
  door.refuse();
  self.wait_disconnected();
  BOOST_TEST((self.close() == errc::not_connected));
}

BOOST_AUTO_TEST_CASE(close_of_an_expired_session_succeeds) {
  testing::relay door(shared_server().direct_address());
  asio::io_context io{1};
  user self(io, door.address());
  self.start();
  self.wait_connected();
  door.refuse();
  self.wait_disconnected();
  shared_server().expire(self.session->id());
  // The client learns of the expiry, and gets no new session.
  door.accept();
  self.reaction = [&](std::string_view event) {
    if (event == "expired") door.refuse();
  };
  self.wait("expired", [&] { return self.expired == 1; });
  self.wait("refused", [&] { return self.session->id() == 0 && !self.session->connected(); });
  BOOST_TEST((self.close() == error_code{}));
}

BOOST_AUTO_TEST_CASE(close_while_connecting_or_resolving_completes) {
  for (std::size_t handlers = 0; handlers < 6; ++handlers) {
    asio::io_context io{1};
    user self(io, "localhost:" + std::to_string(shared_server().port()));
    self.start();
    for (std::size_t i = 0; i < handlers; ++i)
      io.run_one_for(1s);
    BOOST_TEST((self.close() == error_code{}));
    io.restart();
    io.run_for(5s);
    BOOST_TEST(io.stopped());
  }
}

BOOST_AUTO_TEST_CASE(close_at_a_silent_server_does_not_block_the_caller) {
  testing::relay door(shared_server().direct_address());
  asio::io_context io{1};
  user self(io, door.address());
  self.start();
  self.wait_connected();
  door.silence();
  std::optional<error_code> said;
  const auto before = steady_clock::now();
  self.session->close([&](error_code error) { said = error; });
  BOOST_TEST((steady_clock::now() - before < 200ms));
  self.wait(
      "closed", [&] { return said.has_value(); }, 5s);
  BOOST_TEST((*said == errc::not_connected));
}

BOOST_AUTO_TEST_CASE(close_fails_where_the_server_dies_before_it_answers) {
  testing::relay door(shared_server().direct_address());
  asio::io_context io{1};
  user self(io, door.address());
  self.start();
  self.wait_connected();
  const auto directory = self.make_directory();
  testing::relay_hooks(door).cut_before_reply(testing::operation::close_session);
  // Answers to other requests do not answer the close.
  for (int i = 0; i < 50; ++i)
    self.session->send(zookeeper::list{.path = directory}, self, {1, 0});
  BOOST_TEST((self.close() == errc::not_connected));
}

BOOST_AUTO_TEST_CASE(close_is_answered_by_the_reply_with_its_request_number) {
  jute_writer event;
  event.put_int(3);
  event.put_int(3);
  event.put_string("/somewhere");
  const auto an_event = reply_frame(-1, event.bytes());
  const auto ping = reply_frame(-2);
  const struct {
    const char* what;
    std::function<std::string(std::int32_t before, std::int32_t last)> said;
    bool is_goodbye;
  } ends[] = {
      {"nothing", [&](auto, auto) { return ""; }, false},
      {"an event", [&](auto, auto) { return an_event; }, false},
      {"a reply to another request", [&](auto before, auto) { return reply_frame(before); }, false},
      {"a ping behind that", [&](auto before, auto) { return reply_frame(before) + ping; }, false},
      {"an error", [&](auto, auto last) { return reply_frame(last, {}, -112); }, false},
      {"a part", [&](auto, auto last) { return reply_frame(last).substr(0, 19); }, false},
      {"the reply", [&](auto, auto last) { return reply_frame(last); }, true},
      {"the reply behind others",
       [&](auto before, auto last) { return ping + reply_frame(before) + reply_frame(last); },
       true},
      {"the reply among events",
       [&](auto, auto last) { return an_event + reply_frame(last) + an_event; }, true},
      {"the reply and a part of an event",
       [&](auto, auto last) { return reply_frame(last) + an_event.substr(0, 10); }, true},
  };
  for (const auto& each : ends) {
    BOOST_TEST_CONTEXT(each.what) {
      asio::io_context io{1};
      scripted_server server(io, [&, before = 0](int index, std::string_view frame) mutable {
        if (index == 0) return handshake();
        if (kind_of(frame) == testing::operation::close_session)
          return each.said(before, number_of(frame));
        before = number_of(frame);
        return std::string();
      });
      user self(io, server.address());
      self.start();
      self.wait_connected();
      self.session->send(zookeeper::remove{.path = "/a"}, self, {1, 0});
      BOOST_TEST((self.close() == (each.is_goodbye ? error_code{} : errc::not_connected)));
    }
  }
}

BOOST_AUTO_TEST_CASE(abandoned_session_is_ended) {
  testing::raw_client witness(shared_server().address());
  asio::io_context io{1};
  user self(io, shared_server().address());
  self.start();
  self.wait_connected();
  const auto directory = self.make_directory();
  const auto entry = self.enter(directory);
  witness.exists(entry, true);
  self.session->abandon();
  const auto event = witness.next_event(3s);
  BOOST_REQUIRE(event);
  BOOST_TEST(event->path == entry);
  BOOST_TEST(self.disconnected == 0);
  io.restart();
  io.run_for(5s);
  BOOST_TEST(io.stopped());
  self.session->send(zookeeper::list{.path = "/"}, self, {1, 0});
  self.session->abandon();
  BOOST_TEST(!self.session->connected());
}

BOOST_AUTO_TEST_CASE(dropped_session_is_ended) {
  asio::io_context io{1};
  user self(io, shared_server().address());
  self.start();
  self.wait_connected();
  self.session->send(zookeeper::list{.path = "/"}, self, {1, 0});
  self.session.reset();
  io.restart();
  io.run_for(5s);
  BOOST_TEST(io.stopped());
  BOOST_TEST(self.answers.empty());
}

BOOST_AUTO_TEST_CASE(session_is_abandoned_while_it_closes) {
  asio::io_context io{1};
  user self(io, shared_server().address());
  self.start();
  self.wait_connected();
  bool said = false;
  self.session->close([&](error_code) { said = true; });
  self.session->abandon();
  io.restart();
  io.run_for(5s);
  BOOST_TEST(io.stopped());
  BOOST_TEST(!said);
}

BOOST_AUTO_TEST_SUITE_END()
