#pragma once

#include "queue/entry_name.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <vector>

namespace simulation {

using zklock::queue::entry_id;
using zklock::queue::role;
using zklock::queue::sequence;

/// 0: no session.
using session_id = std::uint64_t;

using node_id = std::size_t;
inline constexpr node_id no_such_node = static_cast<node_id>(-1);

/// Stand for two further watches of a directory: of its children, and of the limit's node.
inline constexpr node_id child_list = no_such_node - 1;
inline constexpr node_id limit_node = no_such_node - 2;

/// A child of a lock directory. The servers' trees name it by its place among all children ever, so
/// it can be looked up after it is deleted.
struct node {
  std::string name = {};
  std::size_t directory = 0;
  std::int64_t czxid = 0;
  /// The fencing token of its holder: a writer that becomes a reader keeps the token.
  std::int64_t token = 0;
  sequence number = 0;
  role wants = role::exclusive;
  bool is_entry = true;
  /// Whether it was created by hand, with a name of its own, and belongs to no client.
  bool is_litter = false;
  bool deleted_by_hand = false;
  session_id owner = 0;
  /// The reader's node that replaces a writer's, or will.
  node_id replaced_by = no_such_node;
  /// The data.
  std::string identity = {};
  /// Whose node it is, where the owner is a client of ours.
  entry_id entry = 0;
};

/// A transaction. Its zxid is 1 + its place in the leader's log.
struct change {
  enum class kind : std::uint8_t {
    /// A sync, a check, or a write that failed.
    nothing,
    make_directory,
    make_parent,
    /// The directory and its parent.
    make_parents,
    remove_parent,
    remove_directory,
    create,
    remove,
    set_data,
    set_limit,
    end_session,
    /// All of its parts, at once.
    transaction,
  };

  kind what = kind::nothing;
  std::size_t directory = 0;
  node_id node = no_such_node;
  session_id session = 0;
  std::uint32_t limit = 0;
  std::vector<change> parts = {};
};

/// A node that a change deleted, or whose data it changed; the directory itself if `node` says
/// nothing.
struct touched {
  std::size_t directory;
  node_id node;
  bool deleted;
};

/// The data of a server: containers, the lock directories in them, their children.
class tree {
 public:
  struct lock_directory {
    bool exists = false;
    std::int64_t children_ever = 0;
    std::vector<node_id> children = {};
    /// The limit is kept in a node elsewhere, which is never deleted.
    std::uint32_t limit = 0;
  };

  /// The directories are spread over so many containers.
  tree(std::size_t directories, std::size_t parents, const std::deque<node>& nodes);

  void apply(const change& change, std::vector<touched>& touched);

  /// Starts with a directory that had children already.
  void found(std::size_t directory, std::int64_t children_ever);

  /// Starts with a limit.
  void set_limit(std::size_t directory, std::uint32_t limit) noexcept {
    directories_[directory].limit = limit;
  }

  bool parent_exists(std::size_t directory) const noexcept {
    return parents_[directory % parents_.size()].exists;
  }
  /// Whether it ever had children: servers delete no container before.
  bool parent_used(std::size_t directory) const noexcept {
    return parents_[directory % parents_.size()].used;
  }
  std::size_t parents() const noexcept { return parents_.size(); }
  const lock_directory& at(std::size_t directory) const noexcept { return directories_[directory]; }
  std::size_t directories() const noexcept { return directories_.size(); }
  bool contains(node_id node) const noexcept;
  /// Whether a client has changed the data of a node since it was created.
  bool is_changed(node_id node) const noexcept { return changed_.contains(node); }
  node_id find(std::size_t directory, std::string_view name) const noexcept;

 private:
  struct parent {
    bool exists = false;
    bool used = false;
  };

  parent& parent_of(std::size_t directory) noexcept {
    return parents_[directory % parents_.size()];
  }
  void make_directory(std::size_t directory);

  const std::deque<node>& nodes_;
  std::vector<parent> parents_;
  std::vector<lock_directory> directories_;
  std::set<node_id> changed_;
};

} // namespace simulation
