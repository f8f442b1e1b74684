#pragma once

#include <zklock/client.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>

namespace zklock::cli {

/// Runs a coroutine with a client of its own, closes the client, and returns the result. Rethrows
/// the exception of the coroutine, and throws `failure` for an error of the library.
int run_with_client(const client_options& options,
                    const std::function<boost::asio::awaitable<int>(client&)>& body);

} // namespace zklock::cli
