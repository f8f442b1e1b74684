#pragma once

#include <zklock/found_lock.hpp>

#include "client/lock_definition.hpp"
#include "inspect/lock_layout.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::detail {

/// The state of a search for locks in a tree of nodes: the directories to list, the participants to
/// read, and the locks that were found. It sends nothing, and is not recursive, so that a deep tree
/// needs no deep stack.
class tree_search {
 public:
  /// A lock whose participants are being read.
  struct lock_found {
    lock_definition definition;
    lock_type type = lock_type::unknown;
    std::vector<participant> permits{};
    std::vector<participant> line{};
    error_code error{};
  };

  /// A directory with a child that has the name of a semaphore's permits. The child is listed, and
  /// then its sibling with the name of a semaphore's line, before they are judged. In this order
  /// the line shows the entries of waiters that have a permit already.
  struct candidate {
    std::string path;
    std::size_t levels = 0;
    bool has_line = false;
    std::optional<listed_children> permits{};
    std::optional<listed_children> line{};
  };

  /// A directory to list, with the number of levels to search below it; perhaps the permits or the
  /// line of a candidate.
  struct directory {
    std::string path;
    std::size_t levels = 0;
    std::shared_ptr<candidate> permits_of{};
    std::shared_ptr<candidate> line_of{};
  };

  /// A participant to read.
  struct reading {
    lock_found* of = nullptr;
    participant* target = nullptr;
  };

  /// Begins at `root`, a path relative to the chroot, and goes down so many levels.
  void begin(std::string_view chroot, std::string_view root, std::size_t levels);

  /// The directories and participants that are left. The caller removes an element before the
  /// request, and puts it back if the request must be repeated.
  std::vector<directory>& directories() noexcept { return directories_; }
  std::vector<reading>& readings() noexcept { return readings_; }

  /// The reply to a list of the directory; no value if the directory does not exist.
  void listed(const directory& where, std::optional<listed_children> children);

  /// The servers refuse to list the directory.
  void refused(const directory& where, error_code why);

  /// Returns the locks that were found, sorted by path, and leaves the search empty.
  std::vector<found_lock> take();

 private:
  void look_into(const std::string& path, std::size_t levels, const listed_children& children);
  void decide(const candidate& whole);
  void descend(const std::string& path, std::size_t levels, std::string_view name);
  lock_found& add(const std::string& path, std::optional<lock_kind> kind);
  void read_all(lock_found& found);

  std::string chroot_;
  std::vector<directory> directories_;
  std::vector<reading> readings_;
  // Participants that are being read stay where they are.
  std::deque<lock_found> found_;
};

} // namespace zklock::detail
