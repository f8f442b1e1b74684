// Nodes that a single server has although the quorum has deleted them. The relay of that server
// drops the event of the delete.
#include <zklock/testing/relay.hpp>

#include "support/frame_relay.hpp"
#include "support/world.hpp"
#include "testing/relay_hooks.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace zklock;
using namespace zklock::test;
using testing::create_mode;
using testing::direction;
using testing::operation;

namespace {

constexpr auto session_timeout = 2s;
constexpr auto interval = 400ms; // A fifth of it.

/// A client of two servers, and the session of another client.
struct two_servers {
  two_servers() {
    auto options = options_for(doors[0].address() + ',' + doors[1].address(), session_timeout);
    options.log = [this](log_level, std::string_view line) { lines.emplace_back(line); };
    zk.emplace(io, options);
    run_until(io, [&] { return zk->connected(); });
    server = doors[1].connections();
    witness.create_all(path);
  }

  /// The server of the client tells it of no delete any more.
  void hide_deletes() {
    for (auto& hook : hidden)
      hook.emplace(
          testing::relay_hooks(doors[server])
              .when(
                  direction::to_client,
                  [](const testing::frame& each) { return each.kind == operation::notification; },
                  testing::reaction::drop));
  }

  void run_for(std::chrono::milliseconds time) {
    io.restart();
    io.run_for(time);
  }

  std::size_t count_lines(std::string_view text) const {
    return static_cast<std::size_t>(
        std::count_if(lines.begin(), lines.end(),
                      [&](const auto& line) { return line.find(text) != line.npos; }));
  }

  std::uint64_t connections() const { return doors[0].accepted() + doors[1].accepted(); }

  asio::io_context io{1};
  std::array<testing::relay, 2> doors{testing::relay(shared_server().direct_address()),
                                      testing::relay(shared_server().direct_address())};
  testing::raw_client witness{shared_server().direct_address()};
  const std::string path = fresh_path();
  std::vector<std::string> lines;
  std::optional<client> zk;
  std::size_t server = 0;
  std::array<std::optional<testing::hook>, 4> hidden;
};

/// A server that shows further nodes of a session.
class own_nodes {
 public:
  explicit own_nodes(asio::io_context& io)
      : door_(io, shared_server().port(), [this](passing_frame& frame) {
          if (!frame.first) pass(frame);
          return std::nullopt;
        }) {}

  std::string address() const { return door_.address(); }

  std::vector<std::string> more;
  /// How many lists had them.
  int told = 0;

 private:
  static constexpr int list_ephemerals = 103;

  // A reply has its xid, a zxid and an error ahead of the list.
  void pass(passing_frame& frame) {
    const auto xid = int_at(frame.bytes, 0);
    if (frame.up && int_at(frame.bytes, 4) == list_ephemerals) asked_.insert(xid);
    if (frame.up || asked_.erase(xid) == 0) return;
    constexpr std::size_t count_at = 16;
    put_int(frame.bytes, count_at,
            int_at(frame.bytes, count_at) + static_cast<std::int32_t>(more.size()));
    for (const auto& node : more) {
      std::string text(4, '\0');
      put_int(text, 0, static_cast<std::int32_t>(node.size()));
      frame.bytes += text + node;
    }
    ++told;
  }

  std::set<std::int32_t> asked_;
  frame_relay door_;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(phantoms, two_servers, *boost::unit_test::timeout(300))

BOOST_AUTO_TEST_CASE(waiter_behind_an_entry_that_only_its_server_has_changes_the_server) {
  const auto entry = witness.create(path + "/lock-", {}, create_mode::ephemeral_sequential);
  mutex lock(*zk, path);
  std::optional<error_code> ended;
  lock.acquire([&](error_code error, const hold&) { ended = error; });
  run_until(io, [&] { return is_watched(entry); });
  hide_deletes();
  witness.remove(entry);
  const auto begun = std::chrono::steady_clock::now();
  run_until(io, [&] { return ended.has_value(); });
  BOOST_TEST(!*ended);
  BOOST_TEST((std::chrono::steady_clock::now() - begun > 2 * session_timeout - interval));
  BOOST_TEST(connections() == 2u);
  BOOST_TEST(doors[1 - server].accepted() == 1u);
  BOOST_TEST(count_lines("it has a node that the quorum has not: " + entry) == 1u);
}

BOOST_AUTO_TEST_CASE(observer_of_a_holder_that_only_its_server_has_changes_the_server) {
  const auto entry = witness.create(path + "/lock-", {}, create_mode::ephemeral_sequential);
  // The session is checked while the client uses a lock.
  mutex other(*zk, path + "-other");
  std::optional<hold> held;
  other.acquire([&](error_code, hold got) { held = std::move(got); });
  const mutex lock(*zk, path);
  std::vector<std::optional<participant>> seen;
  const auto look = [&](std::optional<participant> known, auto next) -> void {
    lock.wait_holder_changed(std::move(known),
                             [&, next](error_code, std::optional<participant> now) {
                               seen.push_back(now);
                               if (now) next(now, next);
                             });
  };
  look(std::nullopt, look);
  run_until(io, [&] { return seen.size() == 1 && is_watched(entry); });
  hide_deletes();
  witness.remove(entry);
  run_until(io, [&] { return seen.size() == 2; });
  BOOST_TEST(!seen.back().has_value());
  BOOST_TEST(connections() == 2u);
}

// With a holder that lives, and changes its data now and then.
BOOST_AUTO_TEST_CASE(long_wait_costs_no_request_more_and_no_connection) {
  const auto entry = witness.create(path + "/lock-", {}, create_mode::ephemeral_sequential);
  mutex lock(*zk, path);
  std::optional<error_code> ended;
  lock.acquire([&](error_code error, const hold&) { ended = error; });
  run_until(io, [&] { return is_watched(entry); });
  run_for(session_timeout);
  doors[server].reset_counts();
  run_for(session_timeout);
  const auto before = doors[server].requests(operation::multi);
  run_for(session_timeout);
  doors[server].reset_counts();
  run_for(session_timeout);
  // The timers of a loaded machine are late.
  BOOST_TEST(doors[server].requests(operation::multi) <= 2 * (session_timeout / interval) + 2);
  BOOST_TEST(before <= 2 * (session_timeout / interval) + 2);
  BOOST_TEST(doors[server].requests(operation::multi) != 0u);
  witness.remove(entry);
  run_until(io, [&] { return ended.has_value(); });
  BOOST_TEST(!*ended);
  BOOST_TEST(connections() == 0u); // Since the counts were reset.
  BOOST_TEST(count_lines("lost the connection") == 0u);
}

// At random times, so that some deletes come right before a check.
BOOST_AUTO_TEST_CASE(delete_that_is_told_changes_no_server) {
  for (int i = 0; i < 8; ++i) {
    const auto entry = witness.create(path + "/lock-", {}, create_mode::ephemeral_sequential);
    mutex lock(*zk, path);
    std::optional<hold> held;
    lock.acquire([&](error_code, hold got) { held = std::move(got); });
    run_until(io, [&] { return is_watched(entry); });
    run_for(2 * session_timeout + i * interval / 8);
    witness.set(entry, "asked");
    witness.remove(entry);
    run_until(io, [&] { return held.has_value(); });
    BOOST_TEST(held->owns_lock());
    held.reset();
  }
  BOOST_TEST(connections() == 1u);
}

// The server shows three nodes that the client has deleted. Later the quorum has the second.
BOOST_AUTO_TEST_CASE(nodes_that_only_its_server_has_hide_no_node_that_older_data_has_brought_back) {
  own_nodes shown(io);
  testing::relay door(shown.address());
  auto options = options_for(door.address(), 20s);
  options.log = [this](log_level, std::string_view line) { lines.emplace_back(line); };
  client own(io, options);
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(own, path);
    for (int i = 0; i < 3; ++i) {
      hold held = co_await lock.acquire(10s);
      shown.more.push_back(held.node());
      co_await held.release();
    }
  });
  door.reset_counts();
  door.cut();
  // A write confirms the session, and each node is checked.
  run_until(io, [&] { return door.replies(operation::multi) == 4; });
  run(io, [&]() -> asio::awaitable<void> {
    co_await (co_await mutex(own, path).acquire(10s)).release();
  });
  BOOST_TEST(shown.told == 1);
  BOOST_TEST(own.stats().data_rollbacks == 0u);
  const auto& back = shown.more[1];
  witness.create(back);
  door.cut();
  run_until(io, [&] { return own.stats().data_rollbacks == 1; });
  BOOST_TEST(count_lines("resurrected=" + back) == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
