// How a client asks for a session, and how a server may answer.
#include <zklock/testing/operation.hpp>

#include "scripted_server.hpp"
#include "testing/stat_codec.hpp"
#include "user.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

using namespace zklock::test;
namespace testing = zklock::testing;
using zklock::errc;

namespace {

/// The fields of a connect request.
struct connect_fields {
  std::int64_t zxid = 0;
  std::int64_t session = 0;
  std::string password;
};

connect_fields connect_request(std::string_view frame) {
  zklock::testing::checked_reader in(frame);
  in.take_int();
  connect_fields found;
  found.zxid = in.take_long();
  in.take_int();
  found.session = in.take_long();
  found.password = in.take_string();
  return found;
}

/// Answers writes with rising zxids, and refuses clients that have seen newer zxids.
class plain_server {
 public:
  explicit plain_server(asio::io_context& io)
      : server_(io, [this] {
          return scripted_server::script(
              [this, open = std::int64_t(0)](int index, std::string_view frame) mutable {
                return index == 0 ? connect(frame, open) : request(frame, open);
              });
        }) {}

  std::string address() const { return server_.address(); }

  /// Ends all connections by the next request.
  bool ends = false;
  /// As of a server whose process runs, and which has no leader.
  bool serves = true;
  /// Whether it looks at the told zxids, as ZooKeeper does.
  bool compares = true;
  /// Whether writes get an answer.
  bool writes = true;
  /// How many requests are refused, as by an overloaded server.
  int refusals = 0;
  std::int64_t zxid = 0x100000000;
  /// The session that it knows.
  std::int64_t session = 0;
  std::vector<connect_fields> asked;
  std::vector<testing::operation> requests;
  /// The sessions that were closed.
  std::vector<std::int64_t> closed;

 private:
  using reply = std::optional<std::string>;

  reply connect(std::string_view frame, std::int64_t& open) {
    ends = false;
    const auto& from = asked.emplace_back(connect_request(frame));
    if (!serves || (compares && from.zxid > zxid)) return std::nullopt;
    if (from.session != 0 && from.session != session) return handshake(0, 0);
    if (from.session == 0) ++session, ++zxid;
    open = session;
    return handshake(6000, session);
  }

  reply request(std::string_view frame, std::int64_t open) {
    const auto number = number_of(frame);
    if (number <= 0) return "";
    const auto kind = kind_of(frame);
    requests.push_back(kind);
    if (kind == testing::operation::close_session) {
      closed.push_back(open);
      if (session == open) session += 100;
      return reply_frame(number, {}, 0, ++zxid);
    }
    if (ends) return std::nullopt;
    if (!writes) return "";
    constexpr std::int32_t throttled = -127;
    if (refusals > 0 && refusals-- > 0) return reply_frame(number, {}, throttled);
    return reply_frame(number, body_of(kind), 0, is_write(kind) ? ++zxid : zxid + 1000);
  }

  static bool is_write(testing::operation kind) {
    return kind != testing::operation::exists && kind != testing::operation::sync;
  }

  static std::string body_of(testing::operation kind) {
    jute_writer out;
    switch (kind) {
    case testing::operation::create:
    case testing::operation::create_container:
    case testing::operation::sync:
      out.put_string("/a");
      break;
    case testing::operation::create2:
      out.put_string("/a/b-0000000000");
      testing::put_stat(out, {});
      break;
    case testing::operation::set_data:
    case testing::operation::exists:
      testing::put_stat(out, {});
      break;
    case testing::operation::multi:
      out.put_int(-1);
      out.put_bool(true);
      out.put_int(-1);
      break;
    default:
      break;
    }
    return out.bytes();
  }

  scripted_server server_;
};

/// A session with a server, or with two servers, that has written once.
struct written {
  explicit written(bool with_other = false)
      : self(io, server.address() + (with_other ? "," + other.address() : std::string())) {
    self.reaction = [this](std::string_view event) { events.emplace_back(event); };
  }

  void write() {
    const int what = ++writes;
    self.session->send(zookeeper::confirm{}, self, {what, 0});
    self.wait_answer(what);
  }

  void start() {
    self.start();
    self.wait_connected();
    write();
    seen = server.zxid;
    events.clear();
  }

  /// Makes the server end the connection.
  void lose() {
    server.ends = true;
    self.session->send(zookeeper::exists{.path = "/"}, self, {0, 0});
    self.wait_disconnected();
  }

  /// The server comes back with older data and without the session, and is gone before it shows why
  /// the session has expired: the owner still knows of the session.
  void lose_without_a_reason() {
    start();
    server.zxid = 0;
    server.session += 1000;
    server.writes = false;
    lose();
    self.wait("asked for a new session", [&] {
      const auto& asked = server.asked;
      return asked.size() > 2 && asked.back().session == 0;
    });
    BOOST_TEST(self.expired == 0);
    server.serves = false;
    server.ends = true;
  }

  /// Loses the connection. The next connection has begun with a write, but gets no reply to a
  /// write.
  void lose_until_a_write() {
    server.writes = false;
    server.requests.clear();
    lose();
    self.wait("asked", [&] {
      const auto multi = testing::operation::multi;
      return !server.requests.empty() && server.requests.back() == multi;
    });
  }

  std::size_t count_logged(std::string_view part) const {
    return static_cast<std::size_t>(
        std::count_if(self.log.begin(), self.log.end(),
                      [&](const std::string& line) { return line.find(part) != line.npos; }));
  }

  void expect_rolled_back() {
    BOOST_TEST(count_logged("the servers came back with older data") == 1u);
    // The client begins anew.
    self.wait("closed", [&] { return !server.closed.empty(); });
    BOOST_TEST(server.asked.back().zxid == 0);
    BOOST_TEST(server.asked.back().session == 0);
    BOOST_TEST(self.new_sessions == 2);
    events.clear();
    write();
    lose();
    self.wait_connected(self.connected + 1);
    BOOST_TEST(server.asked.back().zxid == server.zxid);
    BOOST_TEST(events == (std::vector<std::string>{"reply", "disconnected", "connected"}),
               boost::test_tools::per_element());
  }

  asio::io_context io{1};
  plain_server server{io};
  plain_server other{io};
  user self;
  std::vector<std::string> events;
  int writes = 0;
  std::int64_t seen = 0;
};

/// Records connect requests. Answers them with the sessions 1, 2, 3 ..., never the requested
/// session, and closes the connection at the first request of another kind than a ping.
class forgetful_server {
 public:
  explicit forgetful_server(asio::io_context& io)
      : server_(io, [this](int index, std::string_view frame) -> std::optional<std::string> {
          if (index == 0) {
            asked.push_back(connect_request(frame));
            return handshake(6000, ++sessions);
          }
          return number_of(frame) > 0 ? std::nullopt : std::optional<std::string>("");
        }) {}

  std::string address() const { return server_.address(); }

  std::vector<connect_fields> asked;
  std::int64_t sessions = 0;

 private:
  scripted_server server_;
};

} // namespace

BOOST_AUTO_TEST_SUITE(resuming)

// Some servers and proxies say so that the session which was asked for is gone.
BOOST_AUTO_TEST_CASE(another_session_in_the_reply_replaces_the_requested_session) {
  asio::io_context io{1};
  forgetful_server server(io);
  user self(io, server.address());
  std::vector<std::string> events;
  // While the end of a session is told, the next session proves nothing.
  self.reaction = [&](std::string_view event) {
    events.emplace_back(event);
    const bool is_proven = self.session && self.session->valid_until() > zklock::boot_clock::now();
    if (event == "expired") BOOST_TEST(!is_proven);
  };
  self.start();
  self.wait_connected();
  for (int session = 1; session <= 3; ++session) {
    BOOST_TEST(self.session->id() == session);
    BOOST_TEST(server.sessions == session);
    BOOST_TEST((self.session->valid_until() > zklock::boot_clock::now()));
    events.clear();
    self.session->send(zookeeper::get{.path = "/"}, self, {1, 0});
    self.wait_connected(session + 1);
    BOOST_TEST(events == (std::vector<std::string>{"disconnected", "expired", "connected"}),
               boost::test_tools::per_element());
    BOOST_TEST(self.new_sessions == session + 1);
    // The client asks next for the session that the server has made.
    BOOST_TEST(server.asked.back().session == session);
    BOOST_TEST(server.asked.back().password == std::string(16, 'p'));
  }
  BOOST_TEST(self.logged("the session has expired session=0x1"));
}

BOOST_AUTO_TEST_CASE(connect_tells_the_newest_zxid_of_a_write) {
  written w;
  w.start();
  BOOST_TEST(w.server.asked.back().zxid == 0);
  const std::function<void(session&)> requests[] = {
      [&](session& to) {
        to.send(zookeeper::create_directory{.path = "/a"}, w.self, {1, 0});
      },
      [&](session& to) {
        to.send(zookeeper::create_entry{.path = "/a/b-", .data = "data"}, w.self, {1, 0});
      },
      [&](session& to) {
        to.send(zookeeper::set{.path = "/a", .data = "x"}, w.self, {1, 0});
      },
      [&](session& to) {
        to.send(zookeeper::remove{.path = "/a"}, w.self, {1, 0});
      },
  };
  for (const auto& each : requests) {
    w.self.answers.clear();
    each(*w.self.session);
    w.self.wait_answer(1);
    // Reads show uncommitted data, too: the server may lose that again.
    w.self.session->sync("/");
    w.self.session->send(zookeeper::exists{.path = "/"}, w.self, {2, 0});
    w.self.wait_answer(2);
    w.lose();
    w.self.wait_connected(w.self.connected + 1);
    BOOST_TEST(w.server.asked.back().zxid == w.server.zxid);
    BOOST_TEST(w.server.asked.back().session == w.server.session);
  }
  BOOST_TEST(w.self.new_sessions == 1);
}

BOOST_AUTO_TEST_CASE(newest_zxid_outlives_the_session) {
  written w;
  w.start();
  const auto expired = w.server.session++;
  w.lose();
  w.self.wait_connected(2);
  BOOST_TEST(w.events == (std::vector<std::string>{"disconnected", "expired", "connected"}),
             boost::test_tools::per_element());
  const auto& asked = w.server.asked;
  BOOST_REQUIRE(asked.size() == 3u);
  BOOST_TEST(asked[1].session == expired);
  BOOST_TEST(asked[1].zxid == w.seen);
  BOOST_TEST(asked[2].session == 0);
  BOOST_TEST(asked[2].zxid == w.seen);
}

BOOST_AUTO_TEST_CASE(server_that_is_behind_is_left_for_another) {
  written w(true);
  w.other.serves = false;
  w.start();
  // The server that was lost is asked last.
  w.other.serves = true;
  w.other.session = w.server.session;
  w.other.zxid = w.seen - 1;
  w.other.asked.clear();
  w.server.requests.clear();
  w.lose();
  w.self.wait_connected(2);
  BOOST_TEST(w.events == (std::vector<std::string>{"disconnected", "connected"}),
             boost::test_tools::per_element());
  BOOST_TEST(w.self.new_sessions == 1);
  BOOST_REQUIRE(w.other.asked.size() == 1u);
  BOOST_TEST(w.other.asked.back().zxid == w.seen);
  BOOST_TEST(w.server.asked.back().zxid == w.seen);
  // Nothing has to be proven.
  BOOST_TEST(w.server.requests.size() == 1u);
}

// Only the reply to a write shows that it is not behind any more.
BOOST_AUTO_TEST_CASE(server_that_is_behind_is_used_once_it_has_caught_up_with_the_client) {
  written w;
  w.start();
  w.server.zxid -= 10;
  w.lose_until_a_write();
  BOOST_TEST(w.server.asked.back().zxid == 0);
  BOOST_TEST(!w.self.session->connected());
  // The connection ends, and the server refuses once more, as it is still behind.
  w.server.ends = true;
  w.server.zxid = w.seen;
  w.server.writes = true;
  w.self.wait_connected(2);
  BOOST_TEST(w.events == (std::vector<std::string>{"disconnected", "connected"}),
             boost::test_tools::per_element());
  BOOST_TEST(w.self.new_sessions == 1);
  BOOST_TEST(w.count_logged("older data") == 0u);
}

BOOST_AUTO_TEST_CASE(write_with_an_older_zxid_ends_the_session_at_the_servers) {
  for (const int back : {1, 2, 1000}) {
    written w;
    w.start();
    const auto id = w.self.session->id();
    w.server.zxid -= back;
    w.self.session->send(zookeeper::confirm{}, w.self, {77, 0});
    w.self.wait_connected(2);
    BOOST_TEST(w.events == (std::vector<std::string>{"disconnected", "rolled back",
                                                     "lost with older data", "connected"}),
               boost::test_tools::per_element());
    BOOST_TEST(!w.self.answered(77));
    w.expect_rolled_back();
    BOOST_TEST(w.server.closed.front() == id);
  }
}

// Without a word to the owner before.
BOOST_AUTO_TEST_CASE(servers_that_refuse_as_they_have_older_data_are_told_apart) {
  written w;
  w.start();
  const auto id = w.self.session->id();
  w.server.zxid -= 10;
  w.lose();
  w.self.wait_connected(2);
  BOOST_TEST(w.events == (std::vector<std::string>{"disconnected", "rolled back",
                                                   "lost with older data", "connected"}),
             boost::test_tools::per_element());
  w.expect_rolled_back();
  BOOST_TEST(w.server.closed.front() == id);
}

BOOST_AUTO_TEST_CASE(write_that_is_refused_does_not_show_how_new_the_data_is) {
  written w;
  w.start();
  w.server.zxid -= 10;
  w.lose();
  w.server.refusals = 3;
  w.self.wait_connected(2);
  BOOST_TEST(w.server.refusals == 0);
  BOOST_TEST(w.events == (std::vector<std::string>{"disconnected", "rolled back",
                                                   "lost with older data", "connected"}),
             boost::test_tools::per_element());
  w.expect_rolled_back();
}

// The servers do not know the session. Holds are lost for the older data all the same.
BOOST_AUTO_TEST_CASE(servers_that_lost_all_data_are_told_apart_from_an_expiry) {
  written w;
  w.start();
  w.server.zxid = 0;
  w.server.session += 1000;
  w.lose();
  w.self.wait_connected(2);
  BOOST_TEST(w.events == (std::vector<std::string>{"disconnected", "rolled back",
                                                   "lost with older data", "connected"}),
             boost::test_tools::per_element());
  w.expect_rolled_back();
}

// As some servers do that are no ZooKeeper.
BOOST_AUTO_TEST_CASE(servers_that_do_not_compare_zxids_are_found_out_by_the_first_write) {
  written w;
  w.start();
  w.server.zxid = 0;
  w.server.compares = false;
  w.server.session += 1000;
  w.lose();
  w.self.wait_connected(2);
  BOOST_TEST(w.events == (std::vector<std::string>{"disconnected", "expired", "connected"}),
             boost::test_tools::per_element());
  w.events.clear();
  w.self.session->send(zookeeper::confirm{}, w.self, {77, 0});
  w.self.wait_connected(3);
  BOOST_TEST(w.events == (std::vector<std::string>{"disconnected", "rolled back",
                                                   "lost with older data", "connected"}),
             boost::test_tools::per_element());
  BOOST_TEST(w.count_logged("the servers came back with older data") == 1u);
}

// The new session is connected, and its first write has no reply yet.
BOOST_AUTO_TEST_CASE(new_session_proves_nothing_of_the_session_that_the_owner_knows) {
  written w;
  w.start();
  w.server.zxid -= 10;
  w.server.session += 1000;
  w.lose_until_a_write();
  BOOST_TEST(w.events == std::vector<std::string>{"disconnected"},
             boost::test_tools::per_element());
  BOOST_TEST((w.self.session->valid_until() == zklock::boot_clock::time_point::min()));
}

// The reason is not known, and may not be for long.
BOOST_AUTO_TEST_CASE(expiry_is_told_when_the_servers_are_gone_before_they_show_its_reason) {
  written w;
  w.lose_without_a_reason();
  w.self.wait("told", [&] { return w.self.expired == 1; });
  BOOST_TEST(w.events == (std::vector<std::string>{"disconnected", "expired"}),
             boost::test_tools::per_element());
  // The session whose first write has no reply expires, too. The owner has not heard of it.
  w.server.session += 1000;
  w.server.zxid = w.seen;
  w.server.writes = true;
  w.server.serves = true;
  w.self.wait_connected(2);
  BOOST_TEST(w.self.expired == 1);
  BOOST_TEST(w.count_logged("the session has expired") == 1u);
}

// Its nodes may still be there.
BOOST_AUTO_TEST_CASE(close_before_the_reason_of_an_expiry_is_known_is_not_confirmed) {
  written w;
  w.lose_without_a_reason();
  BOOST_TEST((w.self.close() == errc::not_connected));
}

BOOST_AUTO_TEST_SUITE_END()
