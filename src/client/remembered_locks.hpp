#pragma once

#include "client/idle_lock.hpp"
#include "client/requester.hpp"

#include <chrono>
#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace zklock::detail {

/// The locks that a client has not used for a while, by the directories of their entries. Used on
/// the client's strand only.
///
/// Invariant: the watch on the directory of a lock whose knowledge is watched is in use by this
/// object.
class remembered_locks {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit remembered_locks(requester& by) noexcept : requester_(by) {}

  remembered_locks(const remembered_locks&) = delete;
  remembered_locks& operator=(const remembered_locks&) = delete;

  /// A lock, not used since a time, has come to rest, with this object as the heir of its watch.
  void add(std::string_view line, const idle_lock& kept, time_point unused_since);

  /// A lock is used again. Returns the knowledge of its earlier use; this object is the keeper of
  /// the watch.
  std::optional<idle_lock> take(std::string_view line);

  /// A watch on a directory fired.
  void directory_changed(std::string_view line, bool deleted) noexcept;

  /// The watches are gone.
  void disconnected() noexcept;

  std::size_t size() const noexcept { return by_line_.size(); }
  bool is_any_unused_since(time_point then) const noexcept {
    return !all_.empty() && all_.front().unused_since <= then;
  }

  struct forgotten {
    std::string line;
    made_directories made;
  };
  /// Forgets the least recently used lock, of which there must be one, and removes its watch.
  forgotten forget_oldest();

  void clear() noexcept;

 private:
  struct remembered {
    std::string line;
    idle_lock kept;
    time_point unused_since;
  };

  requester& requester_;
  // In the order of the last use.
  std::list<remembered> all_;
  std::unordered_map<std::string_view, std::list<remembered>::iterator> by_line_;
};

} // namespace zklock::detail
