// A delete that the servers refuse for now is sent again until the node is gone.
#include "support/refusing_relay.hpp"
#include "support/world.hpp"

#include <boost/asio/deferred.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

using namespace zklock;
using namespace zklock::test;
using std::chrono::steady_clock;

namespace {

constexpr auto always = std::numeric_limits<std::size_t>::max();

struct refusing_scene {
  asio::io_context io{1};
  testing::raw_client witness{shared_server().direct_address()};
  refusing_relay door{io, port_of(shared_server().direct_address())};
  std::vector<std::string> refusals{};
  client zk{io, with_log()};
  client other{io, options_for(shared_server().address())};
  const std::string path = fresh_path();

  static std::uint16_t port_of(const std::string& address) {
    return static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
  }

  client_options with_log() {
    auto options = options_for(door.address());
    options.log = [this](log_level, std::string_view line) {
      if (line.find("refused") != line.npos) refusals.emplace_back(line);
    };
    return options;
  }

  /// Checks that a release completes only after a coroutine that is called after `count` refusals.
  asio::awaitable<void> refuse_release(std::size_t count, auto end) {
    mutex lock(zk, path);
    hold held = co_await lock.acquire(10s, asio::use_awaitable);
    door.refuse(always);
    std::optional<error_code> released;
    held.release([&](error_code error) { released = error; });
    const auto refused = [&] { return door.refused() >= count; };
    co_await eventually(refused);
    BOOST_TEST(!released.has_value());
    co_await end();
    const auto ended = [&] { return released.has_value(); };
    co_await eventually(ended);
    BOOST_TEST(!released->failed());
    BOOST_TEST(entries(witness, path) == 0u);
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(refused_deletes, refusing_scene, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(release_completes_once_the_entry_is_gone) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, path);
    hold held = co_await lock.acquire(10s, asio::use_awaitable);
    door.refuse(2);
    const auto begun = steady_clock::now();
    co_await held.release(asio::use_awaitable);
    BOOST_TEST(door.refused() == 2u);
    // The retries are not a burst.
    BOOST_TEST((steady_clock::now() - begun >= 900ms));
    BOOST_TEST(entries(witness, path) == 0u);
    BOOST_TEST(refusals.size() == 1u);
    mutex theirs(other, path);
    const hold next = co_await theirs.acquire(10s, asio::use_awaitable);
    BOOST_TEST(next.owns_lock());
  });
}

BOOST_AUTO_TEST_CASE(release_of_several_permits_retries_those_refused) {
  run(io, [&]() -> asio::awaitable<void> {
    semaphore lock(zk, path, 3);
    hold held = co_await lock.acquire(3, 10s, asio::use_awaitable);
    door.refuse(2);
    co_await held.release(asio::use_awaitable);
    BOOST_TEST(door.refused() == 2u);
    BOOST_TEST(entries(witness, path + "/leases") == 0u);
  });
}

BOOST_AUTO_TEST_CASE(waiter_that_gave_up_leaves_no_entry) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, path);
    mutex theirs(other, path);
    const hold taken = co_await theirs.acquire(10s, asio::use_awaitable);
    door.refuse(1);
    const auto [error, none] = co_await lock.acquire(100ms, as_result);
    BOOST_TEST((error == errc::timed_out));
    co_await wait_for_entries(witness, path, 1);
    BOOST_TEST(door.refused() == 1u);
  });
}

BOOST_AUTO_TEST_CASE(release_waits_as_long_as_the_servers_refuse) {
  const auto accept = [&]() -> asio::awaitable<void> {
    BOOST_TEST(entries(witness, path) == 1u);
    door.refuse(0);
    co_return;
  };
  run(io, [&] { return refuse_release(3, accept); });
}

BOOST_AUTO_TEST_CASE(close_ends_refused_deletes) {
  const auto close = [&] { return zk.close(asio::use_awaitable); };
  run(io, [&] { return refuse_release(1, close); });
}

BOOST_AUTO_TEST_SUITE_END()
