#include <zklock/testing/relay.hpp>

#include "liar.hpp"
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

BOOST_AUTO_TEST_CASE(a_closed_session_leaves_nothing) {
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

BOOST_AUTO_TEST_CASE(requests_before_the_end_are_carried_out_and_not_answered) {
  asio::io_context io{1};
  user self(io, shared_server().address());
  self.start();
  self.wait_connected();
  const auto directory = self.make_directory();
  for (int i = 0; i < 200; ++i)
    self.session->create_directory(directory + "/" + std::to_string(i), false, self, {1, 0});
  BOOST_TEST((self.close() == error_code{}));
  BOOST_TEST(self.answers.empty());
  testing::raw_client witness(shared_server().address());
  BOOST_TEST(witness.children(directory).size() == 200);
}

BOOST_AUTO_TEST_CASE(without_a_session_there_is_nothing_to_end) {
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

BOOST_AUTO_TEST_CASE(a_session_that_the_servers_cannot_be_told_of_lives_on) {
  testing::relay door(shared_server().direct_address());
  asio::io_context io{1};
  user self(io, door.address());
  self.start();
  self.wait_connected();
  door.refuse();
  self.wait_disconnected();
  BOOST_TEST((self.close() == errc::not_connected));
}

BOOST_AUTO_TEST_CASE(a_session_that_has_expired_is_over) {
  testing::relay door(shared_server().direct_address());
  asio::io_context io{1};
  user self(io, door.address());
  self.start();
  self.wait_connected();
  door.refuse();
  self.wait_disconnected();
  shared_server().expire(self.session->id());
  // It learns it, and gets no new one.
  door.accept();
  self.reaction = [&](std::string_view event) {
    if (event == "expired") door.refuse();
  };
  self.wait("expired", [&] { return self.expired == 1; });
  self.wait("refused", [&] { return self.session->id() == 0 && !self.session->connected(); });
  BOOST_TEST((self.close() == error_code{}));
}

BOOST_AUTO_TEST_CASE(while_connecting_and_while_resolving) {
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

BOOST_AUTO_TEST_CASE(a_silent_server_does_not_block_the_caller) {
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

BOOST_AUTO_TEST_CASE(a_server_that_dies_meanwhile_has_said_nothing) {
  testing::relay door(shared_server().direct_address());
  asio::io_context io{1};
  user self(io, door.address());
  self.start();
  self.wait_connected();
  const auto directory = self.make_directory();
  door.cut_before_reply(testing::operation::close_session);
  // Answers to others are no answer to this.
  for (int i = 0; i < 50; ++i)
    self.session->list(directory, false, self, {1, 0});
  BOOST_TEST((self.close() == errc::not_connected));
}

BOOST_AUTO_TEST_CASE(the_goodbye_is_the_reply_with_the_number_of_the_last_request) {
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
      liar server(io, [&, before = 0](int index, std::string_view frame) mutable {
        if (index == 0) return handshake();
        if (kind_of(frame) == testing::operation::close_session)
          return each.said(before, number_of(frame));
        before = number_of(frame);
        return std::string();
      });
      user self(io, server.address());
      self.start();
      self.wait_connected();
      self.session->remove("/a", self, {1, 0});
      BOOST_TEST((self.close() == (each.is_goodbye ? error_code{} : errc::not_connected)));
    }
  }
}

BOOST_AUTO_TEST_CASE(an_abandoned_session_ends) {
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
  self.session->list("/", false, self, {1, 0});
  self.session->abandon();
  BOOST_TEST(!self.session->connected());
}

BOOST_AUTO_TEST_CASE(a_dropped_session_ends_too) {
  asio::io_context io{1};
  user self(io, shared_server().address());
  self.start();
  self.wait_connected();
  self.session->list("/", false, self, {1, 0});
  self.session.reset();
  io.restart();
  io.run_for(5s);
  BOOST_TEST(io.stopped());
  BOOST_TEST(self.answers.empty());
}

BOOST_AUTO_TEST_CASE(abandoned_while_closing) {
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
