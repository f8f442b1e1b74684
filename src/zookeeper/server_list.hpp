#pragma once

#include "zookeeper/session_options.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace zklock::zookeeper {

/// Parses a connection string, `host:port[,host:port]...[/chroot]`. IPv6 addresses are in brackets.
///
/// Throws `boost::system::system_error` with `errc::bad_servers` and a text that names the faulty
/// part.
server_list parse_server_list(std::string_view text);

/// Parses a connection string that must have this chroot. Throws as the function above.
std::vector<server_address> parse_server_list(std::string_view text, const std::string& chroot);

} // namespace zklock::zookeeper
