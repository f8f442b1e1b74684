// A server that answers the request for a session with another session: the session asked for is
// gone.
#include <zklock/testing/memory_server.hpp>

#include "inspect/looking.hpp"
#include "support/frame_relay.hpp"

#include <boost/endian/conversion.hpp>
#include <boost/test/unit_test.hpp>

#include <cstring>

using namespace zklock;
using namespace zklock::test;

namespace {

std::int64_t session_at(std::string& frame, std::size_t at) {
  return boost::endian::load_big_s64(reinterpret_cast<unsigned char*>(frame.data() + at));
}

/// A server that makes a new session for each connection. Earlier sessions go on.
class forgetful_server {
 public:
  explicit forgetful_server(asio::io_context& io)
      : relay_(io, memory.port(), [this](passing_frame& frame) {
          constexpr std::size_t asked_at = 16;
          constexpr std::size_t granted_at = 8;
          if (frame.first && frame.up) {
            asked.push_back(session_at(frame.bytes, asked_at));
            std::memset(frame.bytes.data() + asked_at, 0, sizeof(std::int64_t));
          } else if (frame.first) {
            granted.push_back(session_at(frame.bytes, granted_at));
          }
          return std::nullopt;
        }) {}

  std::string address() const { return relay_.address(); }

  testing::memory_server memory;
  std::vector<std::int64_t> asked;
  std::vector<std::int64_t> granted;

 private:
  frame_relay relay_;
};

struct forgetful_scene {
  asio::io_context io{1};
  forgetful_server server{io};
  testing::relay door{server.address()};
  client zk{io, options()};
  client other{io, options_for(server.memory.address())};
  int terms = 0;

  client_options options() const {
    auto some = options_for(door.address(), 2s);
    some.check_interval = 100ms;
    some.lock_cache.emplace();
    return some;
  }

  asio::awaitable<void> lead() {
    ++terms;
    co_await wait_forever();
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(another_session, forgetful_scene, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(holds_are_lost_and_all_else_goes_on_in_the_session_that_the_server_made) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex held_lock(zk, "/locks/held"), cached(zk, "/locks/cached");
    mutex waited(zk, "/locks/waited"), taken(other, "/locks/waited");
    hold theirs = co_await taken.acquire(10s);
    pending<hold> waiting;
    waited.acquire(60s, waiting.token());
    election candidate(zk, "/locks/led");
    asio::cancellation_signal resign;
    const auto body = [this] { return lead(); };
    asio::co_spawn(io, candidate.run(body),
                   asio::bind_cancellation_slot(resign.slot(), asio::detached));
    // Also at the second time.
    for (int round = 1; round <= 2; ++round) {
      const hold held = co_await held_lock.acquire(30s);
      while (zk.cached() == 0)
        co_await (co_await cached.acquire(30s)).release();
      const auto led = [&] { return terms == round; };
      co_await eventually(led);
      pending<error_code> lost;
      held.wait_lost(lost.token());
      const auto session = zk.session_id();
      door.cut();
      const auto [failed, why] = co_await lost.get();
      BOOST_TEST(!failed);
      BOOST_TEST((why == errc::session_expired));
      BOOST_TEST(!held.owns_lock());
      BOOST_TEST(zk.cached() == 0u);
      const auto connected = [&] { return zk.connected(); };
      co_await eventually(connected);
      BOOST_TEST(server.asked.back() == session);
      BOOST_TEST(server.granted.back() == zk.session_id());
      BOOST_TEST(server.granted.size() == static_cast<std::size_t>(round) + 1);
      BOOST_TEST(zk.stats().session_expiries == static_cast<std::uint64_t>(round));
      BOOST_TEST(!waiting.done());
    }
    co_await theirs.release();
    auto [failed, got] = co_await waiting.get();
    BOOST_TEST(!failed);
    BOOST_TEST(got.owns_lock());
    const auto led = [&] { return terms == 3; };
    co_await eventually(led);
    resign.emit(asio::cancellation_type::terminal);
    const auto last = zk.session_id();
    co_await got.release();
    co_await zk.close();
    BOOST_TEST(!server.memory.expire(last));
  });
}

BOOST_AUTO_TEST_SUITE_END()
