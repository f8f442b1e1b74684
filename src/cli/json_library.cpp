// Boost.JSON, which so needs no compiled library.

#include <boost/json/src.hpp>
