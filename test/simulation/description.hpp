#pragma once

#include "client/line_tickets.hpp"
#include "queue/lock_queue.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>

namespace zklock {

/// Is given the whole state of a queue and of its line, value by value in a fixed order, so that
/// states can be compared. Of the numbers that have a function of their own only the order counts,
/// and which numbers are equal; `value` is for all other numbers. `up_to` stands for all demands up
/// to a demand that may be gone: only the newer demands count.
template <class T>
concept state_writer = requires(T& to) {
  to.acquisition(std::uint64_t{});
  to.up_to(std::uint64_t{});
  to.entry(queue::entry_id{});
  to.number(queue::sequence{});
  to.zxid(std::int64_t{});
  to.order(std::uint64_t{});
  to.name(std::string_view{});
  to.value(0);
  to.value(false);
  to.value(queue::role::shared);
};

/// Gives the whole state to a `state_writer`, but for the token of the session and the budget.
template <class Writer>
class description {
 public:
  explicit description(Writer& to) noexcept : to_(to) {}

  void operator()(const queue::channel& it) {
    to_.value(it.is_listing_);
    to_.value(it.connection_);
    to_.value(it.creating_.entries);
    to_.value(it.creating_.exclusive);
    to_.order(it.order_);
    to_.order(it.list_order_);
  }

  void operator()(const queue::demands& it) {
    for (const auto& all : it.roles_) {
      to_.value(all.by_id.size());
      for (const auto& [id, one] : all.by_id) {
        to_.acquisition(id);
        (*this)(one.asked);
        to_.value(one.count);
      }
      to_.value(all.entries);
      to_.value(all.spare);
    }
    to_.value(it.tries_.all_.size());
    for (const auto& [id, one] : it.tries_.all_) {
      to_.acquisition(id);
      (*this)(one.asked);
      to_.order(one.order);
    }
    to_.value(it.is_open_);
  }

  void operator()(const queue::lock_mode& it) {
    to_.value(it.wants);
    to_.value(it.permits);
    to_.value(it.has_room);
    to_.value(static_cast<bool>(it.identity));
  }

  void operator()(const queue::entry& it) {
    to_.entry(it.id);
    to_.value(it.wants);
    to_.value(it.is);
    to_.value(static_cast<bool>(it.identity));
    to_.value(it.data);
    to_.value(it.ahead);
    (*this)(it.replaced);
    to_.value(it.removes_permits);
    to_.acquisition(it.assigned);
    if (it.assigned != 0) (*this)(it.asked);
    to_.value(it.tries);
    to_.value(it.has_holder);
    to_.value(it.patience);
    to_.value(it.turn);
    to_.value(it.handoffs);
    to_.value(it.number >= 0);
    if (it.number >= 0) to_.number(it.number);
    to_.zxid(it.czxid);
    to_.order(it.sent);
    to_.up_to(it.is_unassigned() ? it.newest : 0);
    to_.order(it.seen);
  }

  void operator()(const queue::foreign_entries& it) {
    to_.value(it.size());
    for (const auto& [number, other] : it.all()) {
      to_.number(number);
      to_.name(other.name);
      to_.value(other.wants);
      to_.value(other.may_be_cached);
      to_.value(other.is);
    }
  }

  void operator()(const queue::line& it) {
    to_.value(it.own().size());
    for (const auto& [number, e] : it.own()) {
      to_.number(number);
      to_.entry(e->id);
    }
    (*this)(it.foreign_);
    to_.value(it.known_.has_value());
    if (it.known_) to_.number(*it.known_);
    to_.value(it.met_gap_);
    (*this)(it.channel_);
    to_.value(it.directory_watch_);
    to_.value(it.is_pin_lost());
    to_.value(it.lacks_list());
  }

  void operator()(const queue::lock_cache& it) {
    // The number of conflicts decides nothing here.
    to_.value(it.is_enabled_);
    to_.value(it.uses_);
    to_.value(it.watch_);
  }

  void operator()(const queue::lock_queue& it) {
    (*this)(it.line_);
    (*this)(it.demands_);
    (*this)(it.permits_);
    (*this)(it.cache_);
    (*this)(it.orphans_);
    (*this)(it.life_.entries());
    (*this)(it.scheduler_);
    (*this)(it.unfinished_);
  }

  void operator()(const queue::lock_requests& it) {
    to_.value(it.has_directory_);
    to_.value(it.is_making_parents_);
    // Uses count that can be taken back, and two.
    to_.value(std::min<std::uint64_t>(it.uses_, it.entries_.all().size() + 2));
    to_.entry(it.confirming_);
    const auto describe_newest = [&](bool is_in_flight, queue::lock_requests::request sent) {
      to_.value(is_in_flight ? it.demands_.count_after(it.newest_at(sent)) : 0);
    };
    describe_newest(it.line_.channel().is_listing(), queue::lock_requests::request::list);
    describe_newest(it.permits_.is_listing(), queue::lock_requests::request::permits);
    describe_newest(it.permits_.is_asking_limit_, queue::lock_requests::request::limit);
    describe_newest(it.is_making_parents_, queue::lock_requests::request::parents);
  }

  void operator()(const queue::orphans& it) {
    to_.value(it.nodes_.size());
    for (const auto& one : it.nodes_) {
      to_.name(one.name);
      to_.value(one.is_permit);
      to_.value(one.in_flight);
    }
  }

  void operator()(const queue::own_entries& it) {
    to_.value(it.all_.size());
    for (const auto& [id, e] : it.all_)
      (*this)(e);
    to_.value(it.owned_);
  }

  void operator()(const queue::permits& it) {
    to_.value(it.limit_.has_value());
    to_.value(it.limit_.value_or(0));
    to_.value(it.is_limit_given_);
    to_.value(it.is_limit_old_);
    to_.value(it.is_asking_limit_);
    to_.value(it.is_count_known_);
    to_.value(it.is_listing_);
    to_.value(it.is_watched_);
    to_.value(it.is_lacking_);
    to_.value(it.others_);
    to_.value(it.own_);
    to_.order(it.list_order_);
  }

  void operator()(const queue::replacement& it) {
    to_.value(it.is_);
    to_.value(it.permits_);
    to_.value(it.shown_);
    to_.value(it.is_assumed_);
  }

  void operator()(const queue::scheduler& it) {
    (*this)(it.requests_);
    to_.value(it.starved_);
  }

  void operator()(const queue::unfinished& it) {
    to_.value(it.is_refused_);
    to_.value(it.is_list_refused_);
    to_.value(it.has_late_writes_);
  }

  /// `id_of` names an acquisition.
  template <class IdOf>
  void operator()(const detail::line_tickets& it, IdOf id_of) {
    describe_line(it.line_, id_of);
    const std::map<queue::demand_id, detail::line_member*> tries(it.tries_.begin(),
                                                                 it.tries_.end());
    for (const auto& [ticket, c] : tries) {
      to_.acquisition(ticket);
      to_.caller(id_of(*c));
    }
    const std::map<queue::entry_id, detail::line_member*> holders(it.holders_.begin(),
                                                                  it.holders_.end());
    for (const auto& [entry, c] : holders) {
      to_.entry(entry);
      to_.caller(id_of(*c));
    }
  }

 private:
  template <class IdOf>
  void describe_line(const detail::lock_line& it, IdOf id_of) {
    it.waiting_.for_each([&](const detail::line_member& each) {
      to_.caller(id_of(each));
      to_.acquisition(each.ticket_);
      to_.value(each.is_unseen_);
    });
    to_.value(it.open_.has_value());
    if (!it.open_) return;
    to_.value(it.needs_queue_);
    to_.entry(it.open_->by.next.entry);
    to_.value(it.open_->by.next.turn);
    to_.caller(it.open_->holder ? id_of(*it.open_->holder) : 0);
    to_.value(it.open_->loose_tickets.size());
    for (const auto ticket : it.open_->loose_tickets)
      to_.acquisition(ticket);
  }

  Writer& to_;
};

} // namespace zklock
