#pragma once

#include "queue/entry.hpp"
#include "support/description.hpp"
#include "support/recycled_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace zklock::queue {

/// The tries without an entry. Each gets an entry once a list shows that the lock is free.
///
/// Invariant: a list that was sent before a try began does not answer the try.
class waiting_tries {
 public:
  void add(const demand& one) { all_.emplace(one.id, attempt{.asked = one.asked}); }
  /// Removes a try, and returns its mode; empty if there is no such try.
  std::optional<lock_mode> take(demand_id id) noexcept;
  bool empty() const noexcept { return all_.empty(); }
  std::vector<demand> all() const;

  /// The tries that wait for no list yet.
  std::vector<demand> fresh() const;
  /// Has the fresh tries wait for a list: a list in flight may show an earlier state.
  void probe(std::uint64_t next_order) noexcept;
  /// The tries that the list with this order can answer.
  std::vector<demand> answered_by(std::uint64_t order) const;
  /// No list will answer the tries.
  void disconnected() noexcept;

  std::size_t count_after(demand_id newest) const noexcept;
  bool is_any_wanting(role wants) const noexcept;
  /// The number of nodes for the tries that have brought their room.
  std::size_t nodes() const noexcept;

 private:
  template <class Writer>
  friend class zklock::description;

  struct attempt {
    lock_mode asked;
    /// The first list that can answer the try; 0 if the try waits for no list.
    std::uint64_t order = 0;
  };

  /// The tries for whose `order` the predicate holds.
  template <class Predicate>
  std::vector<demand> select(Predicate wanted) const;

  detail::recycling_map<demand_id, attempt> all_;
};

} // namespace zklock::queue
