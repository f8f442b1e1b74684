#define BOOST_TEST_MODULE newer
#include <boost/test/included/unit_test.hpp>
