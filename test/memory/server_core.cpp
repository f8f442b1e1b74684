#include "testing/memory/server_core.hpp"

#include "memory/tree.hpp"
#include "support/jute_writer.hpp"
#include "testing/checked_reader.hpp"
#include "testing/session_password.hpp"

#include <boost/test/unit_test.hpp>

#include <map>
#include <set>

using namespace zklock::test::memory;
using zklock::detail::jute_writer;
using zklock::testing::checked_reader;

namespace {

/// A server and the bytes that it has sent.
struct served final : connections {
  void send(connection_id connection, std::string bytes) override { sent[connection] += bytes; }
  void close(connection_id connection) override { closed.insert(connection); }

  void connect(connection_id connection, std::int64_t id = 0, std::int64_t seen = 0,
               std::string password = {}) {
    if (password.empty()) {
      const auto bytes = zklock::testing::password_of(id);
      password.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    jute_writer out;
    out.put_int(0);
    out.put_long(seen);
    out.put_int(1000);
    out.put_long(id);
    out.put_string(password);
    out.put_bool(false);
    core.open(connection, "127.0.0.1");
    core.receive(connection, out.framed(), now);
  }

  /// Returns the next frame that was sent to a connection, without its length.
  std::string take(connection_id connection) {
    std::string& bytes = sent[connection];
    const auto end = 4 + static_cast<std::size_t>(checked_reader(bytes).take_int());
    std::string frame = bytes.substr(4, end - 4);
    bytes.erase(0, end);
    return frame;
  }

  std::int64_t take_session(connection_id connection) {
    const std::string response = take(connection);
    checked_reader in(response);
    in.take_int();
    in.take_int();
    return in.take_long();
  }

  void send_request(connection_id connection, operation kind, const jute_writer& body = {}) {
    jute_writer out;
    out.put_int(5);
    out.put_int(static_cast<std::int32_t>(kind));
    out.put_raw(body.bytes());
    core.receive(connection, out.framed(), now);
  }

  static jute_writer path_and_watch(const std::string& path) {
    jute_writer out;
    out.put_string(path);
    out.put_bool(true);
    return out;
  }

  static jute_writer ephemeral(const std::string& path) {
    jute_writer out;
    out.put_string(path);
    out.put_string("");
    out.put_int(1);
    out.put_int(31);
    out.put_string("world");
    out.put_string("anyone");
    out.put_int(1);
    return out;
  }

  std::map<connection_id, std::string> sent;
  std::set<connection_id> closed;
  instant now{10'000, 1};
  server_core core{{500, 1000, 10'000}, 5000, 77, *this};
};

} // namespace

BOOST_AUTO_TEST_SUITE(memory_server_core, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(new_session_is_resumed_on_another_connection) {
  served s;
  s.connect(1);
  BOOST_TEST(s.take_session(1) == 77);
  s.connect(2, 77);
  BOOST_TEST(s.closed.contains(1));
  BOOST_TEST(s.take_session(2) == 77);
  BOOST_TEST(!s.closed.contains(2));
}

BOOST_AUTO_TEST_CASE(session_is_refused_with_another_password_or_after_its_expiry) {
  served s;
  s.connect(1);
  s.connect(2, 77, 0, std::string(16, 'x'));
  BOOST_TEST(s.take_session(2) == 0);
  BOOST_TEST(s.closed.contains(2));
  s.now.elapsed += 1500;
  s.core.advance(s.now);
  s.connect(3, 77);
  BOOST_TEST(s.take_session(3) == 0);
}

BOOST_AUTO_TEST_CASE(client_from_the_future_is_disconnected) {
  served s;
  s.connect(1, 0, 1);
  BOOST_TEST(s.closed.contains(1));
  BOOST_TEST(s.sent[1].empty());
}

BOOST_AUTO_TEST_CASE(expiry_deletes_nodes_and_closes_the_connection) {
  served s;
  s.core.advance(s.now);
  s.connect(1);
  s.take_session(1);
  s.now.elapsed += 100;
  s.connect(2);
  s.send_request(1, operation::create, s.ephemeral("/e"));
  s.send_request(2, operation::exists, s.path_and_watch("/e"));
  s.take_session(2);
  s.take(2);
  s.now.elapsed = s.core.next_advance() - 1;
  s.send_request(2, operation::ping);
  s.take(2);
  ++s.now.elapsed;
  s.core.advance(s.now);
  BOOST_TEST(s.closed.contains(1));
  BOOST_TEST(!s.closed.contains(2));
  BOOST_TEST(s.take(2) == encode(tree_event{event_type::deleted, "/e", {}}).substr(4));
}

BOOST_AUTO_TEST_CASE(event_precedes_the_reply_to_its_write) {
  served s;
  s.connect(1);
  s.take_session(1);
  s.send_request(1, operation::exists, s.path_and_watch("/e"));
  s.take(1);
  s.send_request(1, operation::create, s.ephemeral("/e"));
  BOOST_TEST(s.take(1) == encode(tree_event{event_type::created, "/e", {}}).substr(4));
  const std::string reply = s.take(1);
  BOOST_TEST(checked_reader(reply).take_int() == 5);
}

BOOST_AUTO_TEST_CASE(closed_session_is_replied_to_and_disconnected) {
  served s;
  s.connect(1);
  s.take_session(1);
  s.send_request(1, operation::close_session);
  const std::string reply = s.take(1);
  BOOST_TEST(checked_reader(reply).take_int() == 5);
  BOOST_TEST(s.closed.contains(1));
  BOOST_TEST(s.core.tree().sessions().empty());
}

BOOST_AUTO_TEST_CASE(words_are_answered_instead_of_a_session) {
  served s;
  s.core.open(1, "127.0.0.1");
  s.core.receive(1, "ruok", s.now);
  BOOST_TEST(s.sent[1] == "imok");
  BOOST_TEST(s.closed.contains(1));
  s.core.open(2, "127.0.0.1");
  s.core.receive(2, "srvr", s.now);
  BOOST_TEST(s.sent[2].find("Mode: standalone\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(truncated_request_is_refused) {
  served s;
  s.connect(1);
  s.take_session(1);
  s.send_request(1, operation::create);
  BOOST_TEST(s.take(1) == encode(5, 1, code::marshalling_error).substr(4));
  s.core.receive(1, std::string_view("\0\0\0\1x", 5), s.now);
  BOOST_TEST(s.closed.contains(1));
  BOOST_TEST(s.core.tree().sessions().contains(77));
}

BOOST_AUTO_TEST_CASE(restart_gives_sessions_their_whole_timeout) {
  served s;
  s.connect(1);
  s.now.elapsed += 5000;
  s.core.restart(s.now);
  s.core.advance(s.now);
  BOOST_TEST(s.closed.contains(1));
  s.connect(2, 77);
  BOOST_TEST(s.take_session(2) == 77);
}

BOOST_AUTO_TEST_SUITE_END()
