#pragma once

#include "subject.hpp"

namespace zklock::test {

/// A client that caches entries of locks that no other client wants.
struct caching {
  explicit caching(const queue::settings& settings = {.cache = true}) : it(settings) {}

  /// The second use in a row has begun. The list with the watch is on its way.
  void begin_second_use(queue::lock_mode asked = {}) { it.begin_second_use(asked); }

  /// As `begin_second_use`; no other client uses the lock, and the watch is set.
  void use_twice(queue::lock_mode asked = {}) {
    begin_second_use(asked);
    it.directory_watched();
    it.data_watched(2);
    it.children_listed({it.own(2, 6, asked.wants)});
  }

  /// As `use_twice`, then released: entry 2 is cached.
  void cache_one(queue::lock_mode asked = {}) {
    use_twice(asked);
    it.release(2);
  }

  subject it;
};

/// Three acquisitions have entries of their own. The second of them is the second use in a row.
struct line_of_three : caching {
  line_of_three() {
    it.make_first();
    it.acquire(2);
    it.acquire(3);
    it.created(2, 6);
    it.created(3, 7);
    it.listed({it.own(1, 5), it.own(2, 6), it.own(3, 7)});
  }
};

} // namespace zklock::test
