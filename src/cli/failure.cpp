#include "cli/failure.hpp"

#include <zklock/error.hpp>

#include "cli/duration.hpp"

#include <cstdio>

namespace zklock::cli {

void report(const std::string& text) {
  std::fputs(("zklock: " + text + "\n").c_str(), stderr);
}

std::string text_of(const boost::system::error_code& error, const client_options& options) {
  const auto& servers = options.servers;
  if (error == errc::not_connected)
    return "no server of " + servers + " answers within " + to_text(options.connect_timeout);
  if (error == errc::not_zookeeper)
    return "no server of " + servers + " speaks ZooKeeper's protocol";
  if (error == errc::tls_failed) return "no server of " + servers + " agrees on TLS";
  if (error == errc::certificate_refused)
    return "the certificate of every server of " + servers + " is refused";
  if (error == errc::certificate_demanded)
    return "every server of " + servers + " demands a certificate, or another certificate";
  if (error == errc::no_chroot)
    return "the chroot " + servers.substr(servers.find('/')) + " does not exist";
  return error.message();
}

// The library's own text says more than the message of the code that follows it.
std::string text_of(const boost::system::system_error& problem) {
  std::string text = problem.what();
  const auto with_category = problem.code().what();
  if (text == with_category) return problem.code().message();
  if (text.ends_with(": " + with_category)) text.resize(text.size() - with_category.size() - 2);
  return text;
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
  case errc::data_rolled_back:
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
