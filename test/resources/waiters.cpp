// A hundred thousand waiters of one client, a lost connection, and a close.
#include <zklock/testing/relay.hpp>

#include "support/background.hpp"
#include "support/heap_use.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

using namespace zklock;
using namespace zklock::test;

namespace {

constexpr std::size_t many = 100'000;
constexpr std::size_t window = 64;

struct many_waiters {
  asio::io_context io{1};
  testing::raw_client witness{shared_server().direct_address()};
  testing::relay door{shared_server().direct_address()};
  const std::string path = fresh_path();
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(waiters, many_waiters, *boost::unit_test::timeout(300))

BOOST_AUTO_TEST_CASE(hundred_thousand_waiters_keep_their_order_and_leave_nothing) {
  const auto foreign = create_foreign_entry(witness, path);
  const auto before = heap_in_use();
  std::size_t most = 0;
  {
    std::optional<client> zk;
    auto options = options_for(door.address(), 60s);
    options.log = [](auto, auto) {};
    zk.emplace(io, options);
    std::vector<std::size_t> granted;
    std::vector<hold> held;
    granted.reserve(many);
    std::size_t closed = 0;
    std::size_t others = 0;
    {
      mutex lock(*zk, path);
      for (std::size_t i = 0; i < many; ++i)
        lock.acquire([&, i](error_code error, hold got) {
          if (error == errc::closed) {
            ++closed;
          } else if (error) {
            ++others;
          } else {
            granted.push_back(i);
            held.push_back(std::move(got));
          }
        });
    }
    run_until(
        io, [&] { return entries(witness, path) == window + 1; }, 60s);
    const auto in_line = entries_in_line(witness, path);

    most = heap_in_use();
    door.reset_counts();
    door.cut();
    run_until(io, [&] { return !zk->connected(); });
    run_until(io, [&] { return zk->connected(); });
    // It has caught up once it watches its predecessor again.
    run_until(io, [&] { return is_watched(foreign); });
    BOOST_TEST(entries_in_line(witness, path) == in_line, boost::test_tools::per_element());
    BOOST_TEST(door.total_requests() <= 2 * window);
    BOOST_TEST(granted.empty());
    BOOST_TEST(closed + others == 0u);

    witness.remove(foreign);
    constexpr std::size_t turns = 300;
    run_until(io, [&] {
      held.clear();
      return granted.size() >= turns;
    });
    BOOST_TEST(granted.front() == 0u);
    BOOST_TEST(granted.back() == granted.size() - 1);
    BOOST_TEST(std::is_sorted(granted.begin(), granted.end()));

    door.reset_counts();
    bool done = false;
    zk->close([&](error_code error) {
      BOOST_TEST(!error);
      done = true;
    });
    run_until(io, [&] { return done && granted.size() + closed + others == many; });
    BOOST_TEST(others == 0u);
    BOOST_TEST(door.total_requests() <= 2 * window + 2);
    held.clear();
    BOOST_TEST(entries(witness, path) == 0u);
    zk.reset();
    io.restart();
    io.poll();
  }
  const auto after = heap_in_use();
  BOOST_TEST_MESSAGE(before << " bytes before, " << most << " at most, " << after << " after");
  // The memory of the relays of this process is included.
  BOOST_TEST(after < before + 1'000'000);
  BOOST_TEST(most > before + many * 300);
}

BOOST_AUTO_TEST_SUITE_END()
