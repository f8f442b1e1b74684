#pragma once

#include "client/line_member.hpp"

#include <boost/intrusive/list.hpp>
#include <boost/intrusive/set.hpp>

namespace zklock::detail {

/// The acquisitions that wait for a lock, first come, first served. The list owns them.
///
/// Invariant: acquisitions with a ticket stand before acquisitions without.
class waiting_list {
 public:
  bool empty() const noexcept { return members_.empty(); }
  line_member& front() noexcept { return members_.front(); }
  /// Null if all acquisitions have a ticket.
  line_member* first_without_ticket() noexcept { return first_without_ticket_; }

  void push_back(line_member& added) noexcept {
    members_.push_back(added);
    if (!first_without_ticket_) first_without_ticket_ = &added;
  }

  void erase(line_member& gone) noexcept {
    if (first_without_ticket_ == &gone) first_without_ticket_ = behind(gone);
    members_.erase(members_.iterator_to(gone));
  }

  /// Gives a ticket to the first acquisition without.
  void give_ticket(queue::demand_id ticket) noexcept {
    first_without_ticket_->ticket_ = ticket;
    first_without_ticket_ = behind(*first_without_ticket_);
  }

  /// The first acquisition with this ticket; null if there is none. Nearly always one of the first.
  line_member* find(queue::demand_id ticket) noexcept {
    for (auto& each : members_)
      if (each.ticket_ == ticket) return &each;
    return nullptr;
  }

  template <class Function>
  void for_each(Function function) const {
    for (const auto& each : members_)
      function(each);
  }

 private:
  using hook = boost::intrusive::member_hook<line_member, boost::intrusive::list_member_hook<>,
                                             &line_member::waiting_hook_>;
  using list =
      boost::intrusive::list<line_member, hook, boost::intrusive::constant_time_size<false>>;

  line_member* behind(line_member& one) noexcept {
    const auto next = ++members_.iterator_to(one);
    return next == members_.end() ? nullptr : &*next;
  }

  list members_;
  line_member* first_without_ticket_ = nullptr;
};

/// Acquisitions in the order of their deadlines.
class due_members {
 public:
  using time_point = line_member::time_point;

  // Most acquisitions have equal timeouts, and come in the order of their deadlines.
  void add(line_member& added) noexcept {
    if (added.deadline != time_point::max()) members_.insert(members_.end(), added);
  }

  void remove(line_member& gone) noexcept {
    if (gone.deadline_hook_.is_linked()) members_.erase(members_.iterator_to(gone));
  }

  time_point earliest() const noexcept {
    return members_.empty() ? time_point::max() : members_.begin()->deadline;
  }

  /// Removes and returns an acquisition whose deadline has passed; null if there is none.
  line_member* take_due(time_point now) noexcept {
    if (earliest() > now) return nullptr;
    line_member& due = *members_.begin();
    members_.erase(members_.begin());
    return &due;
  }

 private:
  struct earlier {
    bool operator()(const line_member& a, const line_member& b) const noexcept {
      return a.deadline < b.deadline;
    }
  };
  using hook = boost::intrusive::member_hook<line_member, boost::intrusive::set_member_hook<>,
                                             &line_member::deadline_hook_>;

  boost::intrusive::multiset<line_member, hook, boost::intrusive::compare<earlier>,
                             boost::intrusive::constant_time_size<false>>
      members_;
};

} // namespace zklock::detail
