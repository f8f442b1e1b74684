// How long watches are set.
#include "client/watch_registry.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

using zklock::detail::watch_registry;
using zklock::zookeeper::watch_event;
using zklock::zookeeper::watch_kind;

namespace {

struct one_watch {
  watch_registry watches;
  watch_registry::user user = nullptr;
  const std::string path = "/lock/a-lock-0000000001";

  void set(const std::string& which, watch_kind kind = watch_kind::node) {
    watches.asked(user, which, kind);
    watches.answered(user, which, kind, true);
  }

  void check(std::uint64_t times) {
    for (std::uint64_t i = 0; i < times; ++i)
      watches.begin_check();
  }

  bool is_older(std::uint64_t checks) const {
    return watches.is_older(checks, path, watch_kind::node);
  }
};

struct deaf final : zklock::zookeeper::receiver {
  void on_reply(zklock::zookeeper::request_tag, const zklock::zookeeper::reply&) noexcept override {
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(watch_ages, one_watch)

BOOST_AUTO_TEST_CASE(watch_is_older_than_the_checks_that_began_before) {
  check(7);
  set(path);
  BOOST_TEST(!is_older(0));
  check(3);
  BOOST_TEST(is_older(2));
  BOOST_TEST(!is_older(3));
  set(path); // The server keeps the watch that is set.
  BOOST_TEST(is_older(2));
  BOOST_TEST(!watches.is_older(2, path, watch_kind::children));
}

BOOST_AUTO_TEST_CASE(watch_is_not_old_before_its_answer) {
  watches.asked(user, path, watch_kind::node);
  check(3);
  BOOST_TEST(!is_older(2));
  watches.answered(user, path, watch_kind::node, true);
  BOOST_TEST(is_older(2));
}

BOOST_AUTO_TEST_CASE(watch_that_has_fired_is_young_when_it_is_set_again) {
  set(path);
  check(3);
  watches.asked(user, path, watch_kind::node);
  watches.fired(path, watch_event::node);
  BOOST_TEST(!is_older(2));
  watches.answered(user, path, watch_kind::node, true);
  BOOST_TEST(!is_older(2));
  check(3);
  BOOST_TEST(is_older(2));
  watches.fired(path, watch_event::deleted);
  BOOST_TEST(!is_older(2));
  BOOST_TEST(watches.nodes_watched_for(0).empty());
}

BOOST_AUTO_TEST_CASE(only_watches_on_nodes_themselves_are_listed) {
  set("/lock/", watch_kind::children);
  set(path);
  set("/lock/b-lock-0000000002", watch_kind::children);
  check(1);
  BOOST_TEST(watches.nodes_watched_for(0) == std::vector{path});
  BOOST_TEST(watches.nodes_watched_for(1).empty());
  watches.clear();
  BOOST_TEST(watches.nodes_watched_for(0).empty());
}

// Histories are replayed by their seeds, and addresses differ from run to run.
BOOST_AUTO_TEST_CASE(nodes_are_listed_in_an_order_that_addresses_do_not_change) {
  std::array<deaf, 2> users;
  const auto listed = [&](std::size_t first) {
    watches.clear();
    user = &users[first];
    set("/lock/b-lock-0000000002");
    user = &users[1 - first];
    set(path);
    check(1);
    return watches.nodes_watched_for(0);
  };
  BOOST_TEST(listed(0).size() == 2);
  BOOST_TEST(listed(0) == listed(1));
}

BOOST_AUTO_TEST_SUITE_END()
