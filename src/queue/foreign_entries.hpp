#pragma once

#include "queue/entry_name.hpp"
#include "queue/lock_policy.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace zklock::queue {

/// The known entries of other clients in the line of a lock, by number.
///
/// Invariant: if the lock tells roles, `writers_` indexes the writers of `all_`.
class foreign_entries {
 public:
  struct foreign {
    enum class state : std::uint8_t {
      unwatched,
      watched,
      /// The node is gone, and a reader's node with its number may have replaced it: the next list
      /// tells.
      unconfirmed,
    };

    std::string name;
    role wants;
    /// Whether its client may have cached the entry.
    bool may_be_cached = false;
    state is = state::unwatched;
  };
  using by_number = std::multimap<sequence, foreign>;

  explicit foreign_entries(lock_policy policy) noexcept : policy_(policy) {}

  bool empty() const noexcept { return all_.empty(); }
  std::size_t size() const noexcept { return all_.size(); }
  const by_number& all() const noexcept { return all_; }
  void clear() noexcept;

  /// Adds an entry that a list shows.
  void add(const entry_name& parsed, std::string_view name, bool is_watched);
  bool is_watched(sequence number, std::string_view name) const noexcept;

  /// Whether any entry conflicts with an entry of this role, before or behind it.
  bool conflict(role wants) const noexcept {
    return wants == role::shared && tells_roles() ? !writers_.empty() : !all_.empty();
  }
  std::size_t count_before(sequence number) const noexcept {
    return static_cast<std::size_t>(std::distance(all_.begin(), all_.lower_bound(number)));
  }
  /// Counts at most a single entry, from `first` on before `end`: a writer, if there is any.
  predecessors between(std::optional<sequence> first, sequence end) const noexcept;

  /// The effect of a deleted node.
  enum class change : std::uint8_t { none, gone, replaced };

  /// The node of an entry is deleted.
  change gone(std::string_view name);
  /// The watch of an entry fired for another reason, or was refused.
  bool unwatched(std::string_view name) noexcept;

  /// Calls `function` with the entries before a number that block an entry of this role, from the
  /// last to the first, until it returns false.
  template <class Function>
  void visit_before(sequence number, role wants, Function function) {
    if (wants == role::shared && tells_roles()) {
      for (auto it = writers_.lower_bound(number); it != writers_.begin();)
        if (!function(*(--it)->second)) return;
    } else {
      for (auto it = all_.lower_bound(number); it != all_.begin();)
        if (!function(*--it)) return;
    }
  }

  /// Whether readers pass readers, so that writers are found without a look at readers.
  bool tells_roles() const noexcept { return policy_.may_be_replaced(role::exclusive); }

 private:
  by_number::iterator find(std::string_view name) noexcept;
  void erase_writer(by_number::iterator which);

  lock_policy policy_;
  by_number all_;
  // The writers, if the lock tells roles.
  std::multimap<sequence, by_number::iterator> writers_;
};

} // namespace zklock::queue
