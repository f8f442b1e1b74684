#pragma once

#include "cli/exit_code.hpp"

#include <boost/system/error_code.hpp>

#include <stdexcept>
#include <string>

namespace zklock::cli {

/// Ends the program with a message and an exit code.
class failure : public std::runtime_error {
 public:
  failure(int code, const std::string& message) : std::runtime_error(message), code_(code) {}

  int code() const noexcept { return code_; }

 private:
  int code_;
};

/// A mistake in the command line.
class usage_error : public failure {
 public:
  explicit usage_error(const std::string& message) : failure(exit_code::usage, message) {}
};

/// Writes a line to standard error, behind the name of the program. It is one write, so that output
/// of other processes does not come in between.
void report(const std::string& text);

/// Returns the exit code for an error of the library.
int exit_code_of(const boost::system::error_code& error) noexcept;

} // namespace zklock::cli
