// client::find_locks where other libraries hold the locks.
#include "interop/meeting.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace zklock;
using namespace zklock::test;

BOOST_AUTO_TEST_SUITE(finding, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(locks_of_all_libraries_are_found_with_their_kinds) {
  auto curator = start_peer(library::curator);
  auto kazoo = start_peer(library::kazoo);
  auto go = start_peer(library::go_zookeeper);
  const meeting m;
  const auto take = [&](peer& by, const std::string& verb, const std::string& name,
                        const std::string& more = {}) {
    by.take(verb + ' ' + name + ' ' + m.path + '/' + name + more + " 30000");
  };
  take(curator, "lock", "curator-mutex");
  take(curator, "read", "curator-reader");
  take(curator, "semaphore", "curator-permits", " 3 2");
  take(curator, "write", "curator-writer");
  take(go, "lock", "go-mutex");
  take(kazoo, "stock_lock", "kazoo-mutex");
  take(kazoo, "read", "kazoo-reader");

  const auto all = get(m.zk.find_locks(m.path, asio::use_future));
  struct expected {
    std::string name;
    lock_type type;
    std::size_t holders = 1;
  };
  const std::vector<expected> wanted{{"curator-mutex", lock_type::mutex},
                                     {"curator-permits", lock_type::semaphore, 2},
                                     {"curator-reader", lock_type::shared_mutex},
                                     {"curator-writer", lock_type::shared_mutex},
                                     {"go-mutex", lock_type::mutex},
                                     {"kazoo-mutex", lock_type::mutex},
                                     {"kazoo-reader", lock_type::shared_mutex}};
  BOOST_TEST_REQUIRE(all.size() == wanted.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    BOOST_TEST_CONTEXT(wanted[i].name) {
      BOOST_TEST(all[i].path == m.path + '/' + wanted[i].name);
      BOOST_TEST((all[i].type == wanted[i].type));
      BOOST_TEST(all[i].participants.size() == wanted[i].holders);
      for (const auto& each : all[i].participants)
        BOOST_TEST(each.is_holder);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
