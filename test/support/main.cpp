#define BOOST_TEST_MODULE zklock
#include <boost/test/tree/traverse.hpp>
#include <boost/test/tree/visitor.hpp>
#include <boost/test/unit_test.hpp>

namespace {

// Sanitizers slow a program down by two to fifteen times. The longest suites would not end in time on
// a slow machine.
#ifdef ZKLOCK_SANITIZED
constexpr unsigned times_slower = 4;
#else
constexpr unsigned times_slower = 1;
#endif

namespace ut = boost::unit_test;

class longer_deadlines : ut::test_tree_visitor {
 public:
  longer_deadlines() {
    ut::traverse_test_tree(ut::framework::master_test_suite().p_id, *this, true);
  }

 private:
  bool visit(const ut::test_unit& unit) override {
    ut::framework::get(unit.p_id, ut::TUT_ANY).p_timeout.value *= times_slower;
    return true;
  }
};

} // namespace

BOOST_TEST_GLOBAL_CONFIGURATION(longer_deadlines);
