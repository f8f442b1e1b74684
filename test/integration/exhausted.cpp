// Sequence numbers near 2^31, which no test can count up to.
#include "queue/entry_name.hpp"
#include "support/world.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/endian/conversion.hpp>
#include <boost/test/unit_test.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <string>

using namespace zklock;
using namespace zklock::test;

namespace {

using asio::ip::tcp;

/// Relays ZooKeeper's protocol, and raises the numbers of entries on their way to the client.
class renumbering_relay {
 public:
  renumbering_relay(asio::io_context& io, std::uint16_t target, std::int64_t offset)
      : acceptor_(io, {asio::ip::address_v4::loopback(), 0}),
        target_(asio::ip::address_v4::loopback(), target),
        offset_(offset) {
    asio::co_spawn(io, serve(), asio::detached);
  }

  std::string address() const {
    return "127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
  }

 private:
  using socket = std::shared_ptr<tcp::socket>;

  asio::awaitable<void> serve() {
    for (;;) {
      socket client =
          std::make_shared<tcp::socket>(co_await acceptor_.async_accept(asio::use_awaitable));
      socket server = std::make_shared<tcp::socket>(acceptor_.get_executor());
      co_await server->async_connect(target_, asio::use_awaitable);
      asio::co_spawn(acceptor_.get_executor(), pass(client, server, -offset_), asio::detached);
      asio::co_spawn(acceptor_.get_executor(), pass(server, client, offset_), asio::detached);
    }
  }

  static asio::awaitable<void> pass(socket from, socket to, std::int64_t offset) {
    std::array<unsigned char, 4> size;
    for (;;) {
      co_await asio::async_read(*from, asio::buffer(size), asio::use_awaitable);
      std::string frame(boost::endian::load_big_u32(size.data()), '\0');
      co_await asio::async_read(*from, asio::buffer(frame), asio::use_awaitable);
      renumber(frame, offset);
      frame.insert(0, reinterpret_cast<const char*>(size.data()), size.size());
      co_await asio::async_write(*to, asio::buffer(frame), asio::use_awaitable);
    }
  }

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

  tcp::acceptor acceptor_;
  tcp::endpoint target_;
  std::int64_t offset_;
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
