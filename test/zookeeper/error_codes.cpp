// Every error code of ZooKeeper as the reply to every kind of request.
#include <zklock/testing/operation.hpp>

#include "scripted_server.hpp"
#include "user.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <functional>
#include <set>
#include <string>
#include <vector>

using namespace zklock::test;
using zklock::errc;

namespace {

const std::string a_path = "/lock";
const std::array<std::string, 1> paths{a_path};
const std::vector<zookeeper::write> writes{
    {.what = zookeeper::write::kind::remove, .path = a_path}};

struct request_kind {
  const char* name;
  zookeeper::request what;
};

const std::vector<request_kind> requests{
    {"create a container", zookeeper::create_directory{.path = a_path, .container = true}},
    {"create a directory", zookeeper::create_directory{.path = a_path}},
    {"create an entry", zookeeper::create_entry{.path = a_path}},
    {"delete a node", zookeeper::remove{.path = a_path}},
    {"list children", zookeeper::list{.path = a_path}},
    {"list the session's nodes", zookeeper::list_own{}},
    {"read a node", zookeeper::get{.path = a_path, .watch = true}},
    {"look for a node", zookeeper::exists{.path = a_path, .watch = true}},
    {"write to a node", zookeeper::set{.path = a_path, .data = {}}},
    {"check nodes", zookeeper::check{.paths = paths}},
    {"commit a transaction", zookeeper::transact{.writes = writes}},
    {"commit nothing", zookeeper::confirm{}},
};

// The session sends these requests by functions of their own, and nothing receives their replies.
const request_kind sync_request{"sync", zookeeper::confirm{}};
const request_kind watch_removal{"remove a watch", zookeeper::confirm{}};

enum class outcome {
  /// The receiver gets the error.
  answered,
  /// The servers are of no use: the session fails.
  too_old,
  authentication_failed,
  /// The client connects to another server, and the session continues.
  another_server,
};

outcome outcome_of(int code, const request_kind& of) {
  switch (code) {
  case -6:
    return std::holds_alternative<zookeeper::list_own>(of.what) ? outcome::another_server
                                                                : outcome::too_old;
  case -115:
  case -124:
    return outcome::authentication_failed;
  case -112:
  case -118:
  case -119:
    return outcome::another_server;
  default:
    return outcome::answered;
  }
}

status status_of(int code) {
  switch (code) {
  case -101:
    return status::no_node;
  case -102:
    return status::no_permission;
  case -103:
    return status::bad_version;
  case -108:
    return status::parent_is_ephemeral;
  case -110:
    return status::node_exists;
  case -111:
    return status::not_empty;
  default:
    return status::failed;
  }
}

/// Replies to each request with this error; but where a watch is to be removed, the request that
/// sets it finds no node.
scripted_server::script refuse_all_with(std::int32_t code, bool sets_watch = false) {
  return [=](int index, std::string_view frame) -> std::optional<std::string> {
    if (index == 0) return handshake();
    constexpr std::int32_t no_node = -101;
    const bool sets = sets_watch && kind_of(frame) == zklock::testing::operation::exists;
    return number_of(frame) > 0 ? reply_frame(number_of(frame), {}, sets ? no_node : code) : "";
  };
}

struct one_request {
  one_request(std::int32_t code, const request_kind& of)
      : server(io, refuse_all_with(code, &of == &watch_removal)), self(io, server.address()) {
    self.start();
    self.wait_connected();
    if (&of == &sync_request) self.session->sync(a_path);
    if (&of == &watch_removal) {
      self.session->send(zookeeper::exists{.path = a_path, .watch = true}, self, {2, 0});
      self.wait_answer(2);
      self.answers.clear();
      self.session->remove_watch(a_path, watch_kind::node);
    }
    // The reply comes behind theirs.
    self.session->send(of.what, self, {1, 0});
  }

  asio::io_context io{1};
  scripted_server server;
  user self;
};

void expect_failure(std::int32_t code, const request_kind& of, errc error, std::string_view why) {
  one_request s(code, of);
  s.self.wait("failed", [&] { return s.self.failure.has_value(); });
  BOOST_TEST((s.self.failure == error));
  BOOST_TEST(s.self.connected == 1);
  BOOST_TEST(s.self.logged(why));
}

void expect(std::int32_t code, const request_kind& of) {
  BOOST_TEST_CONTEXT("error " << code << " as the reply to a request to " << of.name) {
    switch (outcome_of(code, of)) {
    case outcome::too_old:
      return expect_failure(code, of, errc::server_too_old,
                            std::string("it does not know a request to ") + of.name);
    case outcome::authentication_failed:
      return expect_failure(code, of, errc::authentication_failed, "it demands other credentials");
    case outcome::another_server: {
      one_request s(code, of);
      s.self.wait_connected(2);
      BOOST_TEST(s.self.answers.empty());
      BOOST_TEST(s.self.logged(std::string(code == -6 ? "it does not know" : "it refused") +
                               " a request to " + of.name));
      BOOST_TEST(s.self.session->lists_own() == (code != -6));
      return;
    }
    case outcome::answered: {
      one_request s(code, of);
      const auto& answer = s.self.wait_answer(1);
      BOOST_TEST((answer.values.result == status_of(code)));
      BOOST_TEST(answer.detail.ends_with("(ZooKeeper's error " + std::to_string(code) + ')'));
      BOOST_TEST(s.self.disconnected == 0);
      return;
    }
    }
  }
}

} // namespace

BOOST_AUTO_TEST_SUITE(error_codes, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(every_error_of_every_request_has_its_outcome) {
  for (std::int32_t code = -1; code >= -130; --code)
    for (const auto& each : requests)
      expect(code, each);
  for (std::int32_t code = -1; code >= -130; --code) {
    expect(code, sync_request);
    expect(code, watch_removal);
  }
}

// Also of the error that the parts behind the failed part have.
BOOST_AUTO_TEST_CASE(transaction_fails_by_every_error_of_its_parts) {
  constexpr std::int32_t not_tried = -2;
  const std::vector<zookeeper::write> writes(
      2, {.what = zookeeper::write::kind::check, .path = a_path});
  for (std::int32_t code = -1; code >= -130; --code) {
    const auto part = [](std::int32_t error) {
      return encoded(-1) + '\0' + encoded(error) + encoded(error);
    };
    const auto results = part(code) + part(not_tried) + encoded(-1) + '\1' + encoded(-1);
    asio::io_context io{1};
    scripted_server server(
        io, [&](int index, std::string_view frame) -> std::optional<std::string> {
          if (index == 0) return handshake();
          return number_of(frame) > 0 ? reply_frame(number_of(frame), results) : "";
        });
    user self(io, server.address());
    self.start();
    self.wait_connected();
    self.session->send(zookeeper::transact{.writes = writes}, self, {1, 0});
    BOOST_TEST_CONTEXT("error " << code) {
      self.wait("a reply or a loss", [&] { return self.answered(1) || self.disconnected == 1; });
      if (self.answered(1)) BOOST_TEST((self.wait_answer(1).values.result == status_of(code)));
    }
  }
}

// The servers close the connection in silence, as with a request that is too large.
BOOST_AUTO_TEST_CASE(request_behind_which_each_connection_ends_is_named) {
  for (const auto& each : requests) {
    asio::io_context io{1};
    scripted_server server(io, [](int index, std::string_view frame) -> std::optional<std::string> {
      if (index == 0) return handshake();
      if (number_of(frame) > 0) return std::nullopt;
      return "";
    });
    user self(io, server.address());
    self.start();
    for (int i = 1; i <= 3; ++i) {
      self.wait_connected(i);
      BOOST_TEST(self.session->lists_own());
      BOOST_TEST(!self.logged("connections in a row"));
      self.session->send(each.what, self, {1, 0});
      self.wait_disconnected(i);
    }
    BOOST_TEST(self.logged(std::string("3 connections in a row have ended behind a request to ") +
                           each.name + ": the servers may not know it"));
    const bool lists_own = !std::holds_alternative<zookeeper::list_own>(each.what);
    BOOST_TEST(self.session->lists_own() == lists_own);
    self.wait_connected(4);
    self.session->send(zookeeper::exists{.path = "/"}, self, {1, 0});
    self.wait_disconnected(4);
    BOOST_TEST(self.session->lists_own() == lists_own);
  }
}

// A client without requests still has replies to its pings.
BOOST_AUTO_TEST_CASE(demand_for_authentication_in_reply_to_a_ping_ends_the_session) {
  asio::io_context io{1};
  scripted_server server(io, [](int index, std::string_view frame) -> std::optional<std::string> {
    return index == 0 ? handshake(300) : reply_frame(number_of(frame), {}, -124);
  });
  user self(io, server.address());
  self.start();
  self.wait("failed", [&] { return self.failure.has_value(); });
  BOOST_TEST((self.failure == errc::authentication_failed));
}

BOOST_AUTO_TEST_CASE(server_without_a_demand_is_preferred) {
  asio::io_context io{1};
  scripted_server strict(io, refuse_all_with(-124));
  scripted_server good(io, refuse_all_with(-101));
  user self(io, strict.address() + ',' + good.address());
  self.start();
  for (int i = 1; !self.answered(1); ++i) {
    self.wait_connected(i);
    self.session->send(zookeeper::list{.path = a_path}, self, {1, 0});
    self.wait("a reply or a loss", [&] { return self.answered(1) || self.disconnected == i; });
    BOOST_REQUIRE(i < 20);
  }
  BOOST_TEST(!self.failure.has_value());
}

BOOST_AUTO_TEST_SUITE_END()
