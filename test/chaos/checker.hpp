#pragma once

#include "chaos/history.hpp"
#include "chaos/server_logs.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace chaos {

/// A span of time.
struct span {
  nanoseconds begin = never;
  nanoseconds end = never;
};

/// Entries and sessions that the nemesis ended by hand. They end holds before their `valid_until`.
struct hand_made_losses {
  /// When the deletion of a znode began. A hold is lost with any of its znodes.
  std::map<std::string, nanoseconds, std::less<>> deleted;
  /// When the end of a session began.
  std::map<std::int64_t, nanoseconds> expired;
};

/// The servers were set back to older data.
struct restore {
  /// Writes that were acknowledged before this time are still there.
  nanoseconds kept_until = never;
  /// From before the first server was killed until all were.
  span when{};
};

/// A committed znode as it is at the end of the run.
struct committed_node {
  std::string path;
  std::int64_t czxid = 0;
  /// The lock and the token of the hold that committed it.
  std::string lock;
  zklock::fencing_token token{};
};

/// All that the checks need to know.
struct evidence {
  std::vector<history> histories;
  hand_made_losses by_hand;
  /// When each process was paused.
  std::map<std::string, std::vector<span>> paused;
  /// When the loop of its client was blocked.
  std::map<std::string, std::vector<span>> blocked;
  /// When it, or any server, was disturbed, without sessions and znodes.
  std::map<std::string, std::vector<span>> disturbed;
  /// In the order of time.
  std::vector<restore> restores;
  /// When all servers demanded authentication.
  std::vector<span> demands;
  /// Nothing where the logs of the servers were not read.
  std::optional<logged_writes> logged;
  /// The times of writes after which the nodes of servers differed.
  std::vector<nanoseconds> differences;
  /// When a thread of a server ended by an error.
  std::vector<nanoseconds> crashes;
  std::map<std::string, std::set<std::string>> fenced_sets;
  std::map<std::string, std::set<std::string>> unfenced_sets;
  std::map<std::string, std::uint64_t> counters;
  std::vector<committed_node> commits;
  std::int64_t permit_limit = 0;
};

/// A time for which a lock was certainly held, as a process believed.
struct claim {
  std::string lock;
  mode kind = mode::exclusive;
  std::int64_t count = 1;
  span when{};
  nanoseconds asked = never;
  zklock::fencing_token token{};
  std::string process;
  std::uint64_t number = 0;
  /// Which data the token is of: the number of restores before.
  std::size_t timeline = 0;
};

/// The counts in files without any protection.
struct count_in_files {
  std::size_t counted = 0;
  std::int64_t lost = 0;
};

/// The findings of the checks.
struct verdict {
  /// Empty in a correct run. At most 20 of each kind; `violations` has their whole number.
  std::vector<std::string> complaints;
  std::size_t violations = 0;
  std::size_t claims = 0;
  /// Holds of which no time is certain. They make no claim.
  std::size_t without_claim = 0;
  /// How long after its deadline an acquire ended at the latest. Pauses of its process do not
  /// count.
  nanoseconds latest_after_deadline = 0;
  /// Losses of data that no token protects: expected under pauses, and only reported.
  std::size_t lost_unfenced = 0;
  std::size_t added_unfenced = 0;
  count_in_files checked{};
  count_in_files unchecked{};
  std::size_t added_fenced = 0;
  std::size_t refused = 0;
  std::size_t committed = 0;
  std::size_t unknown_commits = 0;
  /// Holds and commits that the servers had acknowledged and then lost, without a restore.
  std::size_t lost_by_servers = 0;
  std::size_t told_of_older_data = 0;
  /// Clients told of older data that found a node again because the nodes of servers differed.
  std::size_t told_of_differences = 0;
  std::size_t lost_connections = 0;
  /// How often a client has left a server that had a node which the quorum had not.
  std::size_t phantoms = 0;
};

/// Returns the claims of all histories, in the order of their beginnings. Holds of which no time is
/// certain are left out, unless `uncertain` is true.
std::vector<claim> claims_of(const evidence& all, verdict& found, bool uncertain = false);

/// Returns for how long a process was paused in a span of time.
nanoseconds paused_in(const evidence& all, const std::string& process, const span& time);

/// Returns for how long the loop of its client was blocked.
nanoseconds blocked_in(const evidence& all, const std::string& process, const span& time);

/// Returns whether the servers have lost the acknowledged write with this zxid.
bool is_lost_by_servers(const evidence& all, std::int64_t zxid);

/// Carries out all checks.
verdict check(const evidence& all);

} // namespace chaos
