#pragma once

#include "client/lock_in_use.hpp"

#include <boost/intrusive/list.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace zklock::detail {

/// The locks that a client uses or remembers: by their paths, and those that are unused in the
/// order of their last use. Invariant: no two locks share a path or a directory of nodes. A lock
/// counts as unused if it was idle, without late writes, when `note_use` was called for it last.
class lock_table {
 public:
  using by_line = std::unordered_map<std::string_view, std::unique_ptr<lock_in_use>>;

  /// Returns the lock whose entries are in a directory; null if there is none.
  lock_in_use* find(std::string_view line) const noexcept;

  /// Returns a lock that must be forgotten before `added` is added; null if no lock conflicts with
  /// `added`.
  lock_in_use* find_conflict(const lock_definition& added) const noexcept;

  /// Returns the directories of the locks that watch a node besides their entries.
  std::vector<std::string> watching(std::string_view node) const;

  /// Called after each event of a lock.
  void note_use(lock_in_use& used);
  /// How many locks are unused.
  std::size_t unused() const noexcept { return idle_count_; }
  /// Returns the least recently used lock. Some lock must be unused.
  lock_in_use& oldest_unused() noexcept { return idle_.front().of; }
  /// Returns the least recently used lock if it was not used since `then`; null otherwise.
  lock_in_use* unused_since(std::chrono::steady_clock::time_point then) noexcept {
    return idle_.empty() || idle_.front().since > then ? nullptr : &idle_.front().of;
  }

  lock_in_use& add(std::unique_ptr<lock_in_use> added);
  void remove(lock_in_use& removed);
  void clear() noexcept;

  by_line::const_iterator begin() const noexcept { return by_line_.begin(); }
  by_line::const_iterator end() const noexcept { return by_line_.end(); }

 private:
  using by_path = std::unordered_multimap<std::string_view, lock_in_use*>;

  void leave_idle(lock_in_use& used) noexcept;

  by_line by_line_;
  // By the paths that no other lock may use: the path of the lock, and the paths of its
  // directories.
  by_path by_name_;
  // By the nodes that a lock watches besides its entries.
  by_path by_watched_;
  boost::intrusive::list<
      idle_place,
      boost::intrusive::member_hook<idle_place, decltype(idle_place::hook), &idle_place::hook>,
      boost::intrusive::constant_time_size<false>>
      idle_;
  std::size_t idle_count_ = 0;
};

} // namespace zklock::detail
