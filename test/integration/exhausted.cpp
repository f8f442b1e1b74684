// Sequence numbers near 2^31, which no test can count up to.
#include "queue/entry_name.hpp"
#include "support/frame_relay.hpp"
#include "support/world.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <string>

using namespace zklock;
using namespace zklock::test;

namespace {

/// Relays ZooKeeper's protocol, and raises the numbers of entries on their way to the client.
class renumbering_relay : public frame_relay {
 public:
  renumbering_relay(asio::io_context& io, std::uint16_t target, std::int64_t offset)
      : frame_relay(io, target, [offset](passing_frame& frame) {
          renumber(frame.bytes, frame.up ? -offset : offset);
          return std::nullopt;
        }) {}

 private:
  static void renumber(std::string& frame, std::int64_t offset) {
    constexpr std::string_view label = "-lock-";
    for (auto at = frame.find(label); at != frame.npos; at = frame.find(label, at)) {
      at += label.size();
      const auto old = frame.substr(at, 10);
      if (old.find_first_not_of("0123456789") != old.npos || old.size() != 10) continue;
      auto number = std::to_string(std::stoll(old) + offset);
      number.insert(0, 10 - number.size(), '0');
      frame.replace(at, 10, number);
    }
  }
};

asio::awaitable<void> expect_exhausted(mutex lock) {
  const auto waited = co_await lock.acquire(20s, asio::as_tuple(asio::deferred));
  BOOST_TEST(std::get<0>(waited) == errc::sequence_exhausted);
  const auto tried = co_await lock.try_acquire(asio::as_tuple(asio::deferred));
  BOOST_TEST(std::get<0>(tried) == errc::sequence_exhausted);
}

} // namespace

BOOST_AUTO_TEST_SUITE(exhausted, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(acquire_beyond_the_last_number_fails_sequence_exhausted) {
  asio::io_context io{1};
  testing::raw_client witness(shared_server().direct_address());
  const auto path = fresh_path();
  renumbering_relay door(io, shared_server().port(), queue::last_number - 1);
  client zk(io, options_for(door.address()));
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, path);
    hold held = co_await lock.acquire(10s);
    co_await held.release();
    held = co_await lock.acquire(10s);
    BOOST_TEST(held.node().ends_with("-lock-2146435072"));
    // A waiter is refused, too, and the holder keeps its hold.
    const auto refused = co_await lock.acquire(20s, asio::as_tuple(asio::deferred));
    BOOST_TEST(std::get<0>(refused) == errc::sequence_exhausted);
    BOOST_TEST(held.owns_lock());
    co_await wait_for_entries(witness, path, 1);
    co_await held.release();
    co_await expect_exhausted(lock);
    co_await wait_for_entries(witness, path, 0);
  });
}

BOOST_AUTO_TEST_CASE(lock_works_again_once_its_directory_was_deleted) {
  asio::io_context io{1};
  testing::raw_client witness(shared_server().direct_address());
  const auto path = fresh_path();
  // The first number is the last.
  renumbering_relay door(io, shared_server().port(), queue::last_number - 2);
  client zk(io, options_for(door.address()));
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, path);
    for (int i = 0; i < 3; ++i) {
      hold held = co_await lock.acquire(10s);
      co_await held.release();
    }
    co_await expect_exhausted(lock);
    co_await wait_for_entries(witness, path, 0);
    witness.remove(path);
    const hold held = co_await lock.acquire(10s);
    BOOST_TEST(held.owns_lock());
  });
}

BOOST_AUTO_TEST_SUITE_END()
