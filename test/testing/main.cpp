#define BOOST_TEST_MODULE testing
#include <boost/test/unit_test.hpp>
