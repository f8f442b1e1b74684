#pragma once

#include <zklock/client_options.hpp>

namespace zklock::cli {

/// Returns the options with the servers that answer. Asks all of them at once, and does not wait
/// for bad ones: a client would try the servers one after the other. For programs that end soon: a
/// server that does not answer now is not tried later. Where none answers, the list stays as it is.
///
/// Throws as the constructor of a client does.
client_options with_answering_servers(client_options options);

} // namespace zklock::cli
