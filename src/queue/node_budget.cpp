#include "queue/node_budget.hpp"

#include <utility>

namespace zklock::queue {

void room_user::link::put_before(link& other) noexcept {
  previous = other.previous;
  next = &other;
  previous->next = next->previous = this;
}

void room_user::link::unlink() noexcept {
  previous->next = next;
  next->previous = previous;
  previous = next = this;
}

bool node_budget::take(std::size_t bytes, room_need need) noexcept {
  if (bytes == 0) return true;
  const bool is_turn = next_ && !has_taken_;
  const bool comes_first =
      is_turn || !(need == room_need::first ? first(list::claims) : first_waiting());
  if (!comes_first || bytes > left_) return false;
  has_taken_ |= is_turn;
  left_ -= bytes;
  return true;
}

void node_budget::put_back(std::size_t bytes) noexcept {
  left_ += bytes;
  is_due_ |= bytes != 0;
}

// A claim keeps its place if an acquisition that has brought its own room overtakes the claim.
// After an event of the first user in line, this user may be able to take its room, or the next
// user may.
bool node_budget::update(room_user& user) noexcept {
  if (next_ == &user && has_taken_)
    for (const auto which : {list::claims, list::wishes})
      put(user, which, false);
  const auto need = user.needs_room();
  const bool was_first = first_waiting() == &user;
  const bool was_claim = link_of(user, list::claims).is_linked();
  const bool is_claim = need == room_need::first || (need == room_need::more && was_claim);
  const bool claims_now = put(user, list::claims, is_claim);
  put(user, list::wishes, need == room_need::more && !is_claim);
  const bool spares_now = put(user, list::surplus, user.has_surplus());
  is_due_ |= was_first || claims_now || (spares_now && first(list::claims));
  return is_due_ && is_any_waiting();
}

// A user that has taken room, or does not wait any more, leaves the turn to the next user.
void node_budget::serve() {
  do {
    next_ = first_waiting();
    has_taken_ = false;
    if (next_) next_->refill();
  } while (next_ && (has_taken_ || first_waiting() != next_));
  next_ = nullptr;
  is_due_ = false;
  if (first(list::claims)) drop_surplus();
}

bool node_budget::put(room_user& user, list which, bool is_in) noexcept {
  link& its = link_of(user, which);
  if (its.is_linked() == is_in) return false;
  its.of = &user;
  is_in ? its.put_before(head(which)) : its.unlink();
  return is_in;
}

// A user that deletes nothing is not asked again before its next event.
void node_budget::drop_surplus() {
  while (room_user* const next = first(list::surplus)) {
    if (next->drop_surplus()) return;
    put(*next, list::surplus, false);
  }
}

} // namespace zklock::queue
