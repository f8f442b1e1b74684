#include <zklock/testing/error.hpp>
#include <zklock/testing/raw_client.hpp>

namespace zklock::testing {

// Defined here, so that each class has one type information, also with shared libraries.
error::~error() = default;
server_error::~server_error() = default;
session_gone::~session_gone() = default;

server_error::server_error(const std::string& what, int code) : error(what), code_(code) {}

} // namespace zklock::testing
