#pragma once

#include <zklock/any_lock.hpp>
#include <zklock/client.hpp>
#include <zklock/found_lock.hpp>

#include <boost/json/object.hpp>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::cli {

/// Returns the name of a type of lock: `mutex`, `shared_mutex`, `semaphore` or `unknown`.
std::string_view name_of(lock_type type) noexcept;

/// Returns the name of a role: `exclusive`, `shared` or `permit`.
std::string_view name_of(participant_role role) noexcept;

/// Returns the name of a use: `in_use`, `cached` or `unknown`.
std::string_view name_of(participant_use use) noexcept;

/// Returns the state of a participant: `waits`, `holds`, or `holds/kept` where its client may only
/// have cached the lock.
std::string_view state_of(const participant& one) noexcept;

/// Returns the object for a lock that was found. The limit of a semaphore is not known.
any_lock lock_of(const client& zk, const std::string& path, lock_type type);

/// Returns the number of participants that hold the lock.
std::size_t count_holders(const found_lock& lock) noexcept;

/// Returns the last name in the path of the participant's znode.
std::string_view node_name(const participant& one) noexcept;

/// Returns "NODE (identity, session)", for messages.
std::string describe(const participant& one);

/// Returns how long a participant is in line, by this machine's clock.
std::chrono::nanoseconds age_of(const participant& one);

/// Returns the marks of a doubtful participant: `asked` to release; `permanent`, with a znode that
/// does not end with a session.
std::vector<std::string> marks_of(const participant& one);

/// Returns the marks of a doubtful lock: the marks of its participants; `unreadable`, in full or in
/// part; `mixed`, with entries of kinds that do not respect each other; `no-holder`, though it has
/// waiters.
std::vector<std::string> marks_of(const found_lock& lock);

/// Joins marks with commas.
std::string join(const std::vector<std::string>& marks);

/// Returns the object that describes a lock in the output of `--json`.
boost::json::object to_json(const found_lock& lock);

/// Returns the object that describes a participant in the output of `--json`.
boost::json::object to_json(const participant& one);

} // namespace zklock::cli
