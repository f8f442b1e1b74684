#define BOOST_TEST_MODULE zklock
#include <boost/test/unit_test.hpp>

#ifdef ZKLOCK_SANITIZED

#  include <boost/test/tree/traverse.hpp>
#  include <boost/test/tree/visitor.hpp>

namespace {

namespace ut = boost::unit_test;

// Sanitizers slow a program down by two to fifteen times. The longest suites would not end in time
// on a slow machine.
class longer_deadlines : ut::test_tree_visitor {
 public:
  longer_deadlines() {
    ut::traverse_test_tree(ut::framework::master_test_suite().p_id, *this, true);
  }

 private:
  static constexpr unsigned times_longer = 4;

  bool visit(const ut::test_unit& unit) override {
    ut::framework::get(unit.p_id, ut::TUT_ANY).p_timeout.value *= times_longer;
    return true;
  }
};

} // namespace

BOOST_TEST_GLOBAL_CONFIGURATION(longer_deadlines);

#endif
