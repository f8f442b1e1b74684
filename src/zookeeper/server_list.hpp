#pragma once

#include "zookeeper/session_options.hpp"

#include <string_view>

namespace zklock::zookeeper {

/// Takes `host:port[,host:port]...[/chroot]` apart. IPv6 addresses stand in brackets.
///
/// Throws `boost::system::system_error` with `errc::bad_servers` and a text that says what is
/// wrong with the value.
server_list parse_server_list(std::string_view text);

} // namespace zklock::zookeeper
