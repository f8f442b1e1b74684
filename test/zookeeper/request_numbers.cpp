// The numbers of requests, which have 31 bits in the protocol.
#include <zklock/testing/relay.hpp>

#include "user.hpp"
#include "zookeeper/request_number.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

using namespace zklock::test;
namespace testing = zklock::testing;
using zklock::zookeeper::continue_request_numbers;
using zklock::zookeeper::next_request_number;

namespace {

constexpr auto last_number = std::numeric_limits<std::int32_t>::max();

/// The request numbers that a server sees.
struct seen_numbers {
  std::mutex mutex;
  std::vector<std::int32_t> numbers;
};

/// Notes the numbers of all list requests.
std::shared_ptr<seen_numbers> watch_lists(testing::relay& door) {
  const auto seen = std::make_shared<seen_numbers>();
  door.when(
      testing::direction::to_server,
      [seen](const testing::frame& each) {
        const std::lock_guard lock(seen->mutex);
        if (each.kind == testing::operation::get_children2) seen->numbers.push_back(each.xid);
        return false;
      },
      testing::reaction::observe);
  return seen;
}

} // namespace

BOOST_AUTO_TEST_SUITE(request_numbers)

BOOST_AUTO_TEST_CASE(number_after_the_last_is_the_first) {
  continue_request_numbers(last_number - 1);
  BOOST_TEST(next_request_number() == last_number - 1);
  BOOST_TEST(next_request_number() == last_number);
  BOOST_TEST(next_request_number() == 1);
  BOOST_TEST(next_request_number() == 2);
}

BOOST_AUTO_TEST_CASE(requests_are_answered_while_their_numbers_wrap) {
  for (const bool credentials : {false, true}) {
    testing::relay door(shared_server().direct_address());
    const auto seen = watch_lists(door);
    asio::io_context io{1};
    user self(io, door.address());
    if (credentials) self.options.credentials = {{"digest", "alice:secret"}};
    self.start();
    self.wait_connected();
    continue_request_numbers(last_number - 1);
    for (int i = 1; i <= 12; ++i)
      self.session->send(zookeeper::list{.path = "/"}, self, {i, 0});
    self.wait_answer(12);
    BOOST_TEST(self.answers.size() == 12);
    BOOST_TEST(self.disconnected == 0);
    BOOST_TEST(!self.failure.has_value());
    BOOST_TEST((self.close() == zklock::error_code{}));
    const std::lock_guard lock(seen->mutex);
    BOOST_TEST(seen->numbers == (std::vector<std::int32_t>{last_number - 1, last_number, 1, 2, 3, 4,
                                                           5, 6, 7, 8, 9, 10}),
               boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_SUITE_END()
