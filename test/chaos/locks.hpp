#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace chaos {

/// The locks of the run. kazoo uses the first mutexes.
inline constexpr std::size_t mutexes = 4;
inline constexpr std::size_t shared_mutexes = 2;
inline constexpr std::size_t commit_mutexes = 2;
inline constexpr std::size_t several_mutexes = 3;
inline constexpr std::size_t body_mutexes = 2;
/// A mutex for each C++ process, which uses it most.
inline constexpr std::size_t own_mutexes = 4;

inline constexpr std::int64_t permit_limit = 5;
/// A limit that is kept in a znode changes, from `least_limit` up to the limit below.
inline constexpr std::int64_t least_limit = 3;

/// Commits are spread over so many znodes, to keep the lists of their children small.
inline constexpr std::size_t commit_buckets = 64;

inline std::string mutex_path(std::size_t index) {
  return "/chaos/mutex-" + std::to_string(index);
}

inline std::string shared_path(std::size_t index) {
  return "/chaos/shared-" + std::to_string(index);
}

inline std::string commit_path(std::size_t index) {
  return "/chaos/commit-" + std::to_string(index);
}

/// Locks that are taken together, or of which any is taken.
inline std::string several_path(std::size_t index) {
  return "/chaos/several-" + std::to_string(index);
}

inline std::string body_path(std::size_t index) {
  return "/chaos/body-" + std::to_string(index);
}

inline std::string own_path(std::size_t index) {
  return "/chaos/own-" + std::to_string(index);
}

inline constexpr const char* permits_path = "/chaos/permits";
/// Their limit is kept in a znode.
inline constexpr const char* counted_permits_path = "/chaos/permits-counted";
inline constexpr const char* limit_path = "/chaos-limit";
inline constexpr const char* leader_path = "/chaos/leader";

/// The name in the certificates of all servers.
inline constexpr const char* server_name = "chaos";

inline constexpr const char* commits_path = "/chaos-commits/";

inline std::string bucket_path(std::size_t index) {
  return commits_path + std::to_string(index);
}

/// Returns the data of a znode with a limit, as Curator's SharedCount writes it.
inline std::string limit_data(std::int64_t limit) {
  return {'\0', '\0', '\0', static_cast<char>(limit)};
}

} // namespace chaos
