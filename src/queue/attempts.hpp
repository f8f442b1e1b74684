#pragma once

#include "queue/entry.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <vector>

namespace zklock::queue {

/// The acquisitions of one lock that try and have no entry: each gets one where a list shows that
/// the lock is free.
///
/// Invariant: an attempt is answered by no list that was asked for before it began.
class attempts {
 public:
  struct attempt {
    acquisition_id id;
    lock_mode asked;
  };

  explicit attempts(std::pmr::memory_resource* memory) : all_(memory) {}

  bool empty() const noexcept { return all_.empty(); }
  void add(acquisition_id id, lock_mode asked) { all_.emplace(id, probing{.asked = asked}); }
  /// Returns whether there was one.
  bool remove(acquisition_id id) noexcept { return all_.erase(id) != 0; }
  /// Removes one that is here, and returns what it asked for.
  lock_mode take(acquisition_id id) noexcept;

  /// Those that wait for no list yet.
  std::vector<attempt> fresh() const;

  /// They wait for a list from now on: one in flight already may show what was before they began.
  void probe(std::uint64_t next_order) noexcept;

  /// Those that the list with this order can answer.
  std::vector<attempt> answered_by(std::uint64_t order) const;

  /// No list will answer them.
  void disconnected() noexcept;

  /// Removes those that began no later than `newest`, and appends them.
  void withdraw_until(acquisition_id newest, std::vector<acquisition_id>& to);

  /// Removes those that want more permits than `most`, and appends them.
  void withdraw_above(std::uint32_t most, std::vector<acquisition_id>& to);

  std::size_t count_after(acquisition_id newest) const noexcept;
  /// How many nodes the attempts want that have brought their room along.
  std::size_t count_brought() const noexcept;
  bool is_any_wanting(role wants) const noexcept;

  /// Gives all of it to `to`.
  template <state_writer Writer>
  void describe(Writer& to) const {
    to.value(all_.size());
    for (const auto& [id, one] : all_) {
      to.acquisition(id);
      one.asked.describe(to);
      to.order(one.order);
    }
  }

 private:
  struct probing {
    lock_mode asked;
    /// The first list that can answer it; 0 where it waits for none.
    std::uint64_t order = 0;
  };

  std::pmr::map<acquisition_id, probing> all_;
};

} // namespace zklock::queue
