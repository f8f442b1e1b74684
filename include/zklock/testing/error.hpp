#pragma once

#include <zklock/export.hpp>

#include <stdexcept>

namespace zklock::testing {

/// What everything in `zklock::testing` throws: a server that does not start, a deadline that
/// passed, an answer that did not come. `what()` is written for whoever reads a failed test: it
/// names the action, the path or the port, and has the last lines of the server's log where there
/// is one.
class ZKLOCK_EXPORT error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  ~error() override;
};

} // namespace zklock::testing
