#pragma once

#include "client/lock_in_use.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace zklock::detail {

/// The locks that a client uses or remembers, by their paths.
///
/// Invariant: no two locks share a path or a directory of nodes.
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

  lock_in_use& add(std::unique_ptr<lock_in_use> added);
  void remove(lock_in_use& removed);
  void clear() noexcept;

  by_line::const_iterator begin() const noexcept { return by_line_.begin(); }
  by_line::const_iterator end() const noexcept { return by_line_.end(); }

 private:
  using by_path = std::unordered_multimap<std::string_view, lock_in_use*>;

  by_line by_line_;
  // By the paths that no other lock may use: the path of the lock, and the paths of its
  // directories.
  by_path by_name_;
  // By the nodes that a lock watches besides its entries.
  by_path by_watched_;
};

} // namespace zklock::detail
