#pragma once

#include "lock/claim.hpp"

#include <boost/intrusive/set.hpp>

namespace zklock::detail {

/// The claims that have a deadline, the earliest first: one timer serves them all.
class deadlines {
 public:
  using time_point = claim::time_point;

  void add(claim& c) { by_time_.insert(c); }

  static void remove(claim& c) noexcept {
    auto& hook = static_cast<intrusive::set_base_hook<auto_unlink>&>(c);
    if (hook.is_linked()) hook.unlink();
  }

  /// The earliest deadline; the clock's maximum where there is none.
  time_point earliest() const noexcept {
    return by_time_.empty() ? time_point::max() : by_time_.begin()->deadline;
  }

  /// Takes out a claim whose deadline has passed; null where there is none.
  std::shared_ptr<claim> take_due(time_point now) {
    if (earliest() > now) return nullptr;
    auto due = by_time_.begin()->shared_from_this();
    by_time_.erase(by_time_.begin());
    return due;
  }

  void clear() noexcept { by_time_.clear(); }

 private:
  struct earlier {
    bool operator()(const claim& a, const claim& b) const noexcept {
      return a.deadline < b.deadline;
    }
  };

  intrusive::multiset<claim, intrusive::compare<earlier>, intrusive::constant_time_size<false>>
      by_time_;
};

} // namespace zklock::detail
