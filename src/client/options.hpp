#pragma once

#include <zklock/client_options.hpp>

#include "zookeeper/rotating_tls.hpp"
#include "zookeeper/server_list.hpp"
#include "zookeeper/session_options.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace zklock::detail {

/// Returns the options with the defaults filled in. Throws `system_error(errc::bad_option)` that
/// names the option and its value.
client_options checked_options(client_options options);

/// Returns why a session with this timeout cannot be kept proven, with the value that would
/// suffice; empty if the session can be kept proven.
std::string find_shortcoming(std::chrono::milliseconds check_interval,
                             std::chrono::milliseconds server_tick,
                             std::chrono::milliseconds timeout);

/// Returns the options of the session without TLS, which logs by this function.
zookeeper::session_options session_options_of(const client_options& options,
                                              std::vector<zookeeper::server_address> servers,
                                              log_function log);

/// Takes the TLS options out of the options of a client: null for plain connections. The session
/// calls the provider as a function of the program. Throws `system_error(errc::bad_option)` that
/// names the option or the file.
std::shared_ptr<zookeeper::rotating_tls> take_tls(client_options& options);

} // namespace zklock::detail
