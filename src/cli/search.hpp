#pragma once

#include <zklock/client.hpp>
#include <zklock/found_lock.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace zklock::cli {

/// Whether a search ignores, reports or fails on a root that does not exist. The servers delete an
/// empty container, so the directory of unused locks can be missing.
enum class if_missing { ignore, report, fail };

/// Throws `usage_error` with the path and the reason where it is not the path of a lock.
void check_lock_path(const client& zk, const std::string& path);

/// Finds the locks at a path and at most so many levels below it. Throws `failure`, and
/// `usage_error` where the path is invalid.
boost::asio::awaitable<std::vector<found_lock>>
search(client& zk, std::string root, if_missing then,
       std::size_t levels = std::numeric_limits<std::size_t>::max());

} // namespace zklock::cli
