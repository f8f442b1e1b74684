// The xids of requests, which have 31 bits.
#include <zklock/testing/relay.hpp>

#include "testing/relay_hooks.hpp"
#include "user.hpp"
#include "zookeeper/xid.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

using namespace zklock::test;
namespace testing = zklock::testing;
using zklock::zookeeper::next_xid;
using zklock::zookeeper::set_next_xid;

namespace {

constexpr auto last_xid = std::numeric_limits<std::int32_t>::max();

/// The xids that a server sees.
struct seen_xids {
  std::mutex mutex;
  std::vector<std::int32_t> xids;
};

/// Records the xids of all list requests.
std::shared_ptr<seen_xids> watch_lists(testing::relay& door) {
  const auto seen = std::make_shared<seen_xids>();
  testing::relay_hooks(door).when(
      testing::direction::to_server,
      [seen](const testing::frame& each) {
        const std::lock_guard lock(seen->mutex);
        if (each.kind == testing::operation::get_children2) seen->xids.push_back(each.xid);
        return false;
      },
      testing::reaction::observe);
  return seen;
}

} // namespace

BOOST_AUTO_TEST_SUITE(xids)

BOOST_AUTO_TEST_CASE(xid_after_the_last_is_the_first) {
  set_next_xid(last_xid - 1);
  BOOST_TEST(next_xid() == last_xid - 1);
  BOOST_TEST(next_xid() == last_xid);
  BOOST_TEST(next_xid() == 1);
  BOOST_TEST(next_xid() == 2);
}

BOOST_AUTO_TEST_CASE(requests_are_answered_while_their_xids_wrap) {
  for (const bool credentials : {false, true}) {
    testing::relay door(shared_server().direct_address());
    const auto seen = watch_lists(door);
    asio::io_context io{1};
    user self(io, door.address());
    if (credentials) self.options.credentials = {{"digest", "alice:secret"}};
    self.start();
    self.wait_connected();
    set_next_xid(last_xid - 1);
    for (int i = 1; i <= 12; ++i)
      self.session->send(zookeeper::list{.path = "/"}, self, {i, 0});
    self.wait_answer(12);
    BOOST_TEST(self.answers.size() == 12);
    BOOST_TEST(self.disconnected == 0);
    BOOST_TEST(!self.failure.has_value());
    BOOST_TEST((self.close() == zklock::error_code{}));
    const std::lock_guard lock(seen->mutex);
    BOOST_TEST(seen->xids == (std::vector<std::int32_t>{last_xid - 1, last_xid, 1, 2, 3, 4, 5, 6, 7,
                                                        8, 9, 10}),
               boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_SUITE_END()
