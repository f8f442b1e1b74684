#include <zklock/testing/error.hpp>

namespace zklock::testing {

// Defined here, so that the class has a single type information, also with shared libraries.
error::~error() = default;

} // namespace zklock::testing
