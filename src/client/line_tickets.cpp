#include "client/line_tickets.hpp"

#include <algorithm>
#include <utility>

namespace zklock::detail {

// `refill` is an event, and so closes the line.
void line_tickets::look(bool needs_queue) {
  if (is_open_ && (needs_queue || line_.needs_queue())) driver_->refill();
  if (!is_open_) give_tickets();
}

// Tickets are given singly: an acquisition that is granted at once may open the line for all
// acquisitions behind it.
void line_tickets::give_tickets() {
  line_member* next = nullptr;
  const auto give_one = [&](line_member& c) -> queue::acquisition_id {
    if (next) return 0;
    next = &c;
    const auto ticket = around_.next_ticket();
    by_ticket_[ticket] = &c;
    return ticket;
  };
  do {
    next = nullptr;
    line_.give_tickets(give_one);
    if (next) driver_->acquire(next->ticket_, asked_by(*next), false);
  } while (next && !is_open_);
}

void line_tickets::start_try(line_member& c) {
  give(c, around_.next_ticket());
  driver_->acquire(c.ticket_, asked_by(c), true);
}

// The queue has the room from now on.
queue::lock_mode line_tickets::asked_by(line_member& c) {
  auto asked = c.wanted_;
  asked.has_room = asked.has_room && c.take_room();
  return asked;
}

void line_tickets::give(line_member& c, queue::acquisition_id ticket) {
  by_ticket_[ticket] = &c;
  line_.set_ticket(c, ticket);
}

void line_tickets::open() {
  const auto& queue = driver_->state();
  const auto* const e = queue.grantable_outside();
  if (!e) return;
  line_member* holder = nullptr;
  if (e->acquisition != 0) {
    holder = find(e->acquisition);
    if (!holder || !around_.may_open()) return;
    by_ticket_.erase(e->acquisition);
    driver_->hand_out(e->id);
  }
  line_.open({.next = {.session = driver_->token(),
                       .entry = e->id,
                       .wants = e->wants,
                       .number = e->number,
                       .czxid = e->czxid,
                       .turn = e->turn},
              .end_of_turns = queue.most_turns(),
              .stays = caches_ && queue.entries().size() == 1},
             holder);
  seen_turn_ = e->turn;
  is_open_ = true;
}

void line_tickets::close() {
  if (!std::exchange(is_open_, false)) return;
  auto was = line_.close();
  const auto grants = was.next_turn - std::exchange(seen_turn_, was.next_turn);
  tell_queue(was);
  around_.line_closed(grants, was.holder != nullptr);
}

// A loose ticket passes to the next acquisition without a ticket. So the order of tickets may
// differ from the order of acquisitions: `on_granted` grants in the order of acquisitions.
void line_tickets::tell_queue(lock_line::closed& was) {
  queue::acquisition_id held_by = 0;
  if (was.holder) give(*was.holder, held_by = around_.next_ticket());
  auto& loose = was.loose_tickets;
  std::size_t used = 0;
  std::vector<queue::waiting_acquisition> added;
  line_.give_tickets([&](line_member& c) {
    const bool is_new = used == loose.size() || c.wanted_.has_room;
    const auto ticket = is_new ? around_.next_ticket() : loose[used++];
    if (is_new) added.push_back({ticket, asked_by(c)});
    by_ticket_[ticket] = &c;
    return ticket;
  });
  loose.erase(loose.begin(), loose.begin() + static_cast<std::ptrdiff_t>(used));
  for (const auto ticket : loose)
    by_ticket_.erase(ticket);
  driver_->granted_outside(was.entry, was.next_turn, held_by, loose, added);
}

void line_tickets::withdraw(line_member& c) {
  const auto ticket = std::exchange(c.ticket_, 0);
  if (ticket == 0) return;
  by_ticket_.erase(ticket);
  driver_->release(ticket, false);
}

void line_tickets::release(line_member& c, bool may_keep) {
  if (line_.is_holder(c)) close();
  if (c.ticket_ != 0) driver_->release(c.ticket_, may_keep);
}

void line_tickets::downgrade(line_member& c) {
  if (line_.is_holder(c)) close();
  if (c.ticket_ != 0) driver_->downgrade(c.ticket_);
}

void line_tickets::prove(line_member& c) {
  if (line_.is_holder(c)) close();
  if (c.ticket_ != 0) driver_->prove(c.ticket_);
}

std::vector<lock_line::member_ptr> line_tickets::members() {
  close();
  auto all = line_.without_ticket();
  for (const auto& [ticket, c] : by_ticket_)
    all.push_back(c->shared());
  return all;
}

std::vector<lock_line::member_ptr> line_tickets::take_all() {
  auto all = members();
  for (const auto& each : all) {
    line_.take_out(*each);
    each->ticket_ = 0;
  }
  by_ticket_.clear();
  return all;
}

// An open line serves acquisitions without a ticket.
bool line_tickets::in_line(const line_member& c) const noexcept {
  return c.ticket_ == 0 ? is_open_ : driver_->state().in_line(c.ticket_);
}

std::optional<std::size_t> line_tickets::count_ahead(const line_member& c) const noexcept {
  if (c.ticket_ == 0) return std::nullopt;
  return driver_->state().count_ahead(c.ticket_);
}

std::uint32_t line_tickets::take_grants() noexcept {
  if (!is_open_) return 0;
  const auto turn = line_.next_turn();
  return turn - std::exchange(seen_turn_, turn);
}

line_member* line_tickets::find(queue::acquisition_id ticket) const noexcept {
  const auto it = by_ticket_.find(ticket);
  return it == by_ticket_.end() ? nullptr : it->second;
}

lock_line::member_ptr line_tickets::take(queue::acquisition_id ticket) {
  line_member* const c = find(ticket);
  if (!c) return nullptr;
  by_ticket_.erase(ticket);
  auto taken = line_.take_out(*c);
  c->ticket_ = 0;
  return taken;
}

void line_tickets::on_event() {
  close();
}

// Only exclusive acquisitions, which are all alike, can be in another order than their tickets. An
// acquisition with reserved room may be granted before acquisitions that wait for room.
void line_tickets::on_granted(queue::acquisition_id id, const grant& by) {
  line_member* c = find(id);
  if (!c) return;
  if (driver_->policy() == queue::lock_policy::exclusive && !c->trying) {
    line_member& first = line_.first_waiting();
    if (&first != c && !first.wanted_.has_room && !c->wanted_.has_room) {
      give(*c, first.ticket_);
      give(first, id);
      c = &first;
    }
  }
  line_.granted(*c);
  c->granted(by);
}

void line_tickets::on_downgraded(queue::acquisition_id id, queue::reason why) {
  if (line_member* const c = find(id)) c->downgraded(why);
}

void line_tickets::on_refused(queue::acquisition_id id, queue::reason why) {
  if (const auto c = take(id)) c->refused(why);
}

void line_tickets::on_lost(queue::acquisition_id id, queue::reason why) {
  if (const auto c = take(id)) c->lost(why);
}

void line_tickets::on_released(queue::acquisition_id id, queue::reason why) {
  if (const auto c = take(id)) c->forgotten(why);
}

void line_tickets::on_settled() {
  if (!is_open_) open();
  around_.settled();
}

} // namespace zklock::detail
