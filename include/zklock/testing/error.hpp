#pragma once

#include <zklock/export.hpp>

#include <stdexcept>

namespace zklock::testing {

/// Thrown by all of `zklock::testing`: a server does not start, a deadline passes, an answer does
/// not come. `what()` is written for the reader of a failed test. It names the action, the path or
/// the port, and has the last lines of the server's log where there is one.
class ZKLOCK_EXPORT error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  ~error() override;
};

} // namespace zklock::testing
