#pragma once

#include <zklock/client_options.hpp>

#include "cli/duration.hpp"

#include <boost/program_options/options_description.hpp>

#include <optional>
#include <string>
#include <vector>

namespace zklock::cli {

/// The options of every subcommand that connects to the servers.
class connection_options {
 public:
  connection_options() = default;
  // The description refers to the members.
  connection_options(const connection_options&) = delete;
  connection_options& operator=(const connection_options&) = delete;

  /// Returns the description of the options, which sets this object when it is parsed.
  boost::program_options::options_description describe();

  /// Returns the options of a client. Throws `usage_error` for a credential that is none, and for a
  /// file of credentials that cannot be read; the client's constructor checks the rest.
  client_options make() const;

 private:
  std::string servers_{"127.0.0.1:2181"};
  duration session_timeout_{std::chrono::seconds(15)};
  duration connect_timeout_{std::chrono::seconds(10)};
  duration server_tick_{std::chrono::seconds(2)};
  std::string identity_;
  std::string credentials_file_;
  std::vector<std::string> credentials_;
  std::string authorities_;
  std::string certificate_;
  std::string key_;
};

} // namespace zklock::cli
