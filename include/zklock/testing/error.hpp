#pragma once

#include <zklock/export.hpp>

#include <stdexcept>

namespace zklock::testing {

/// The exception of `zklock::testing`, for example if a server does not start or a deadline passes.
/// `what()` names the action, with the path or the address. If a server fails, it includes the last
/// lines of the server's log.
class ZKLOCK_EXPORT error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;

  /// Destroys the error.
  ~error() override;
};

} // namespace zklock::testing
