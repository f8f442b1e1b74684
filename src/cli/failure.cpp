#include "cli/failure.hpp"

#include <zklock/error.hpp>

#include <cstdio>

namespace zklock::cli {

void report(const std::string& text) {
  std::fputs(("zklock: " + text + "\n").c_str(), stderr);
}

int exit_code_of(const boost::system::error_code& error) noexcept {
  if (error.category() != lock_category()) return exit_code::unavailable;
  switch (static_cast<errc>(error.value())) {
  case errc::timed_out:
  case errc::busy:
    return exit_code::conflict;
  case errc::no_permission:
  case errc::authentication_failed:
    return exit_code::no_permission;
  case errc::session_expired:
  case errc::in_doubt:
  case errc::entry_deleted:
  case errc::hold_limit_reached:
    return exit_code::lost;
  case errc::bad_path:
  case errc::bad_servers:
  case errc::bad_timeout:
  case errc::bad_permits:
  case errc::bad_option:
    return exit_code::usage;
  default:
    return exit_code::unavailable;
  }
}

} // namespace zklock::cli
