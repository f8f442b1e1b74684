#include "client/line_tickets.hpp"

#include <utility>

namespace zklock::detail {

using queue::reason;

void line_tickets::look(bool needs_queue) {
  const bool was_open = is_open_;
  if (was_open && !needs_queue && !line_.needs_queue()) return;
  was_open ? close() : give_tickets();
  if (std::exchange(is_unserved_, false) || was_open)
    was_open ? driver_->refill() : driver_->serve();
}

void line_tickets::give_tickets() {
  while (true) {
    line_member* refused = nullptr;
    reason why = reason::none;
    line_.give_tickets([&](line_member& c) -> queue::demand_id {
      why = driver_->state().refusal(c.wanted_);
      if (why != reason::none) {
        refused = &c;
        return 0;
      }
      is_unserved_ = true;
      return driver_->between_events().add(asked_by(c));
    });
    if (!refused) return;
    refuse(*refused, why);
  }
}

void line_tickets::start_try(line_member& c) {
  const auto why = driver_->state().refusal(c.wanted_);
  if (why != reason::none) return refuse(c, why);
  const auto ticket = driver_->between_events().next_try();
  line_.set_ticket(c, ticket);
  tries_[ticket] = &c;
  driver_->start_try(ticket, asked_by(c));
}

// The queue has the room from now on.
queue::lock_mode line_tickets::asked_by(line_member& c) {
  auto asked = c.wanted_;
  asked.has_room = asked.has_room && c.take_room();
  return asked;
}

void line_tickets::open() {
  const auto& queue = driver_->state();
  const auto* const e = queue.entry_for_fast_path();
  if (!e) return;
  line_member* holder = nullptr;
  if (e->has_holder) {
    holder = find_holder(e->id);
    if (!holder || !around_.may_open()) return;
    holders_.erase(e->id);
    driver_->between_events().lend(e->id);
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
  const auto was = line_.close();
  const auto grants = was.next_turn - std::exchange(seen_turn_, was.next_turn);
  if (was.holder) holders_[was.entry] = was.holder;
  driver_->between_events().granted_fast(was.entry, was.next_turn, was.holder != nullptr,
                                         was.loose_tickets);
  give_tickets();
  around_.line_closed(grants, was.holder != nullptr);
}

void line_tickets::withdraw(line_member& c) {
  const auto ticket = std::exchange(c.ticket_, 0);
  if (ticket == 0) return;
  tries_.erase(ticket);
  driver_->withdraw(ticket);
}

void line_tickets::release(line_member& c, bool may_cache) {
  if (line_.is_holder(c)) close();
  if (c.entry_ != 0) driver_->release(c.entry_, may_cache);
}

void line_tickets::downgrade(line_member& c) {
  if (line_.is_holder(c)) close();
  if (c.entry_ != 0) driver_->downgrade(c.entry_);
}

void line_tickets::set_identity(line_member& c, const queue::identity_pointer& identity) {
  if (line_.is_holder(c)) close();
  if (c.entry_ != 0) driver_->set_identity(c.entry_, identity);
}

void line_tickets::prove(line_member& c) {
  if (line_.is_holder(c)) close();
  if (c.entry_ != 0 && driver_->state().may_prove(c.entry_)) driver_->prove(c.entry_);
}

std::vector<lock_line::member_ptr> line_tickets::members() {
  close();
  auto all = line_.waiting();
  for (const auto& [ticket, c] : tries_)
    all.push_back(c->shared());
  for (const auto& [entry, c] : holders_)
    all.push_back(c->shared());
  return all;
}

std::vector<lock_line::member_ptr> line_tickets::take_all() {
  auto all = members();
  for (const auto& each : all) {
    line_.take_out(*each);
    each->ticket_ = 0;
    each->entry_ = 0;
  }
  tries_.clear();
  holders_.clear();
  return all;
}

// An open line serves acquisitions without a ticket.
bool line_tickets::in_line(const line_member& c) const noexcept {
  if (c.ticket_ == 0) return is_open_;
  return c.trying || driver_->state().in_line();
}

std::optional<std::size_t> line_tickets::count_ahead(const line_member& c) const noexcept {
  if (c.ticket_ == 0) return std::nullopt;
  return driver_->state().count_ahead(c.ticket_, line_.count_equal_before(c));
}

std::uint32_t line_tickets::take_grants() noexcept {
  if (!is_open_) return 0;
  const auto turn = line_.next_turn();
  return turn - std::exchange(seen_turn_, turn);
}

// A demand has as many acquisitions here as in the queue: they leave on the strand, each with a
// call of the queue, or by the open line, which is closed before an event. So a grant or a refusal
// finds an acquisition, unless `take_all` has taken out all of them.
line_member* line_tickets::find_waiting(queue::demand_id ticket) const noexcept {
  const auto it = tries_.find(ticket);
  return it != tries_.end() ? it->second : line_.first_with(ticket);
}

line_member* line_tickets::find_holder(queue::entry_id held) const noexcept {
  const auto it = holders_.find(held);
  return it == holders_.end() ? nullptr : it->second;
}

lock_line::member_ptr line_tickets::take_holder(queue::entry_id held) {
  line_member* const c = find_holder(held);
  if (!c) return nullptr;
  holders_.erase(held);
  auto taken = line_.take_out(*c);
  c->entry_ = 0;
  return taken;
}

void line_tickets::on_event() {
  close();
}

void line_tickets::on_granted(queue::demand_id to, const grant& by) {
  line_member* const c = find_waiting(to);
  if (!c) return;
  tries_.erase(to);
  holders_[by.entry] = c;
  line_.granted(*c, by.entry);
  c->granted(by);
}

void line_tickets::on_refused(queue::demand_id which, reason why) {
  line_member* const c = find_waiting(which);
  if (!c) return;
  tries_.erase(which);
  refuse(*c, why);
}

void line_tickets::refuse(line_member& c, reason why) {
  const auto out = line_.take_out(c);
  c.ticket_ = 0;
  c.refused(why);
}

void line_tickets::on_downgraded(queue::entry_id held, reason why) {
  if (line_member* const c = find_holder(held)) c->downgraded(why);
}

void line_tickets::on_lost(queue::entry_id held, reason why) {
  if (const auto c = take_holder(held)) c->lost(why);
}

void line_tickets::on_released(queue::entry_id held, reason why) {
  if (const auto c = take_holder(held)) c->forgotten(why);
}

// The event that closed the line need not serve the acquisitions that came while it was open.
void line_tickets::on_settled() {
  if (std::exchange(is_unserved_, false)) return driver_->serve();
  if (!is_open_) open();
  around_.settled();
}

} // namespace zklock::detail
