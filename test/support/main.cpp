#define BOOST_TEST_MODULE zklock
#include <boost/test/unit_test.hpp>
