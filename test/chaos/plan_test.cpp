// The plan of a run has all kinds of faults.
#include "chaos/plan.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace chaos;
using namespace std::chrono_literals;

namespace {

std::set<fault_kind> kinds_before(std::chrono::milliseconds time,
                                  const std::array<track, 4>& plan) {
  std::set<fault_kind> all;
  for (const auto& each : plan)
    for (const auto& one : each)
      if (one.begin < time) all.insert(one.kind);
  return all;
}

} // namespace

BOOST_AUTO_TEST_SUITE(chaos_plan)

BOOST_AUTO_TEST_CASE(plan_has_all_kinds_of_faults_and_depends_on_its_seed) {
  const auto plan = make_plan(1, 5min, 6);
  BOOST_TEST(kinds_before(5min, plan).size() == fault_kinds);
  const auto again = make_plan(1, 5min, 6);
  const auto other = make_plan(2, 5min, 6);
  const auto are_equal = [](const track& a, const track& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& two) {
      return one.kind == two.kind && one.begin == two.begin && one.which == two.which;
    });
  };
  BOOST_TEST(are_equal(plan[0], again[0]));
  BOOST_TEST(!are_equal(plan[0], other[0]));
}

// The test "chaos" runs it for a minute, of which faults of servers take more than is planned.
BOOST_AUTO_TEST_CASE(plan_of_the_test_has_the_faults_that_no_other_test_has) {
  const auto kinds = kinds_before(40s, make_plan(170, 1min, 6));
  for (const auto kind : {fault_kind::kill_in_turns, fault_kind::restore_data,
                          fault_kind::demand_authentication, fault_kind::block_loop})
    BOOST_TEST(kinds.contains(kind), name_of(kind));
}

BOOST_AUTO_TEST_CASE(plan_can_be_limited_to_some_kinds) {
  const std::set only{fault_kind::block_loop, fault_kind::delete_node};
  const auto plan = make_plan(1, 5min, 6, only);
  BOOST_TEST((kinds_before(5min, plan) == only));
  BOOST_TEST(plan[0].empty());
}

BOOST_AUTO_TEST_CASE(kind_is_found_by_its_name) {
  for (std::size_t i = 0; i < fault_kinds; ++i) {
    const auto kind = static_cast<fault_kind>(i);
    BOOST_TEST((kind_named(name_of(kind)) == kind));
    BOOST_TEST((is_of_servers(kind) + is_of_client(kind) <= 1));
  }
  BOOST_TEST(!kind_named("kill").has_value());
}

BOOST_AUTO_TEST_SUITE_END()
