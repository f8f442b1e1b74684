#pragma once

#include "client/acquisition.hpp"

#include <boost/intrusive/set.hpp>

namespace zklock::detail {

/// The acquisitions that have a deadline, the earliest first: one timer serves them all.
class deadlines {
 public:
  using time_point = acquisition::time_point;

  void add(acquisition& c) { by_time_.insert(c); }

  static void remove(acquisition& c) noexcept {
    auto& hook = static_cast<intrusive::set_base_hook<auto_unlink>&>(c);
    if (hook.is_linked()) hook.unlink();
  }

  /// The earliest deadline; the clock's maximum where there is none.
  time_point earliest() const noexcept {
    return by_time_.empty() ? time_point::max() : by_time_.begin()->deadline;
  }

  /// Takes out an acquisition whose deadline has passed; null where there is none.
  std::shared_ptr<acquisition> take_due(time_point now) {
    if (earliest() > now) return nullptr;
    auto due = by_time_.begin()->shared_from_this();
    by_time_.erase(by_time_.begin());
    return due;
  }

  void clear() noexcept { by_time_.clear(); }

 private:
  struct earlier {
    bool operator()(const acquisition& a, const acquisition& b) const noexcept {
      return a.deadline < b.deadline;
    }
  };

  intrusive::multiset<acquisition, intrusive::compare<earlier>,
                      intrusive::constant_time_size<false>>
      by_time_;
};

} // namespace zklock::detail
