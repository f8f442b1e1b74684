#pragma once

#include <zklock/client_options.hpp>

namespace zklock::cli {

/// Returns the options with the servers that answer; with the whole list if no server answers. Asks
/// all servers at once: a client would try a silent server for seconds before it tries the next.
/// For programs that end soon: a server that does not answer now is not tried later.
///
/// Throws as the constructor of a client does.
client_options with_answering_servers(client_options options);

} // namespace zklock::cli
