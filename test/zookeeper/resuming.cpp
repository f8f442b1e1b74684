// How a session is asked for, and what a server may make of it.
#include "scripted_server.hpp"
#include "user.hpp"

#include <boost/test/unit_test.hpp>

#include <vector>

using namespace zklock::test;
using zklock::errc;

namespace {

/// The fields of a connect request.
struct asked {
  std::int64_t zxid = 0;
  std::int64_t session = 0;
  std::string password;
};

asked connect_request(std::string_view frame) {
  zklock::testing::jute_reader in(frame);
  in.take_int();
  asked found;
  found.zxid = in.take_long();
  in.take_int();
  found.session = in.take_long();
  found.password = in.take_string();
  return found;
}

/// Records connect requests. Answers them with the sessions 1, 2, 3 ..., whatever was asked for,
/// and closes the connection at the first request of another kind than a ping.
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

  std::vector<struct asked> asked;
  std::int64_t sessions = 0;

 private:
  scripted_server server_;
};

} // namespace

BOOST_AUTO_TEST_SUITE(resuming)

// Some servers and proxies say so that the session which was asked for is gone.
BOOST_AUTO_TEST_CASE(another_session_in_the_reply_replaces_the_one_asked_for) {
  asio::io_context io{1};
  forgetful_server server(io);
  user self(io, server.address());
  std::vector<std::string> events;
  self.reaction = [&](std::string_view event) { events.emplace_back(event); };
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
    // Each session that a server has made is the one that is asked for next.
    BOOST_TEST(server.asked.back().session == session);
    BOOST_TEST(server.asked.back().password == std::string(16, 'p'));
  }
  BOOST_TEST(self.logged("the session has expired session=0x1"));
}

BOOST_AUTO_TEST_SUITE_END()
