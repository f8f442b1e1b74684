#pragma once

#include <zklock/client_options.hpp>

#include "cli/exit_code.hpp"

#include <boost/system/error_code.hpp>
#include <boost/system/system_error.hpp>

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

/// Writes a line to standard error, after the name of the program. A single write, so that the
/// output of other processes does not interrupt the line.
void report(const std::string& text);

/// Returns the text of an error, with the servers or the chroot that it is about.
std::string text_of(const boost::system::error_code& error, const client_options& options);

/// Returns the text of an exception, without the category and the number of its error.
std::string text_of(const boost::system::system_error& problem);

/// Returns the exit code for an error of the library.
int exit_code_of(const boost::system::error_code& error) noexcept;

} // namespace zklock::cli
