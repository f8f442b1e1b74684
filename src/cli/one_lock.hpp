#pragma once

#include <zklock/client.hpp>
#include <zklock/found_lock.hpp>

#include "cli/search.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>
#include <vector>

namespace zklock::cli {

/// Finds the lock at a path: none where nothing is in line, and two where a semaphore shares the
/// path with another lock. Throws `failure` where the directory may not be read.
boost::asio::awaitable<std::vector<found_lock>> find_at(client& zk, std::string path,
                                                        if_missing then);

/// A participant, and the lock that it takes part in.
struct chosen {
  std::string path;
  lock_type type;
  participant one;
};

/// Finds the holders of the lock at a path; with a node, the participant with this znode: its path,
/// or the last name of it. Throws `failure` where there is none.
boost::asio::awaitable<std::vector<chosen>> choose(client& zk, std::string path, std::string node);

/// Returns the participants to ask for a release: of permits that were taken together, the first.
std::vector<chosen> requests_of(std::vector<chosen> all);

} // namespace zklock::cli
