// What the callers and the session do to a queue.

#include "queue/queue.hpp"

#include <algorithm>
#include <iterator>

namespace zklock::queue {

using kind = action::kind;

queue::queue(const settings& settings, node_budget& budget, std::pmr::memory_resource* memory)
    : settings_(settings),
      budget_(budget),
      entries_(memory),
      own_(memory),
      holders_(memory),
      waiting_(memory),
      tries_(memory),
      seats_{seats(memory), seats(memory)} {
  permits_.limit = settings.limit;
}

void queue::acquire(event_context& context, acquisition_id id, lock_mode asked, bool trying) {
  const bool exceeds = permits_.limit && asked.permits > std::max(*permits_.limit, 1u);
  if (settings_.policy.holds_by_permits() && (exceeds || asked.permits > settings_.most_permits))
    return refuse(context, id, reason::too_many_permits);
  // It would wait for ever.
  if (!fits_budget(asked.permits)) return refuse(context, id, reason::budget_exhausted);
  if (trying) {
    tries_.emplace_hint(tries_.end(), id, attempt{.asked = asked});
    start_tries(context);
  } else {
    waiting_.emplace_hint(waiting_.end(), id, asked);
    fill(context);
  }
}

void queue::release(event_context& context, acquisition_id id) {
  const auto begin = context.actions.size();
  give_back(context, id);
  if (!settings_.policy.holds_by_permits()) check_granted(context, begin);
}

void queue::give_back(event_context& context, acquisition_id id) {
  const auto found = holders_.find(id);
  if (found == holders_.end()) return give_up(context, id);
  entry& e = *found->second;
  if (e.is == entry::state::taking) return give_back_taking(e);
  if (e.tries && e.permits == 0) {
    // Without its entry it is a try like any other.
    drop(context, e);
    give_up(context, id);
    return advance(context);
  }
  stop_trying(e);
  holders_.erase(found);
  if (can_hand_over(e))
    hand_over(context, e);
  else
    remove(context, e);
  advance(context);
}

void queue::prove(event_context& context, acquisition_id id) {
  const auto found = holders_.find(id);
  if (can_ask() && found != holders_.end() && found->second->is == entry::state::held)
    confirm(context, *found->second);
}

void queue::refill(event_context& context) {
  advance(context);
}

void queue::connected(event_context& context, session_token token) {
  token_ = token;
  connected_ = true;
  for (auto& one : strays_)
    send_stray(context, one);
  if (entries_.empty()) {
    start_tries(context);
    return fill(context);
  }
  // What became of the requests in flight, and who is before us, must be known before anything
  // else is done. The server may be another one, which lags behind what we saw already, or has
  // lost its quorum: a list must show no less than that.
  recovering_ = true;
  list(context, kind::sync_and_list);
}

void queue::disconnected() {
  connected_ = recovering_ = listing_ = making_parents_ = false;
  refused_ = relist_ = false;
  confirming_ = 0;
  permits_.known = permits_.listing = permits_.watched = permits_.asking_limit = false;
  permits_.limit_is_old = !settings_.limit;
  blocked_ = starved_taking_ = false;
  directory_watch_ = presence::absent;
  creating_ = {};
  forget_others();
  for (auto& one : strays_)
    one.asked = false;
  for (auto& [id, e] : entries_) {
    e.ahead = entry::plan::none;
    // The list of the recovery shows whether it is still there.
    e.refused = false;
    if (e.is == entry::state::inspecting && e.permits == 0) {
      own_.erase(e.number);
      e.is = entry::state::unsure;
    }
    if (e.is == entry::state::creating) e.is = entry::state::unsure;
  }
  for (auto& [id, one] : tries_)
    one.probing = false;
}

void queue::expired(event_context& context) {
  own_.clear();
  strays_.clear();
  while (!entries_.empty()) {
    entry& e = entries_.begin()->second;
    if (e.is == entry::state::held)
      lose(context, e, reason::session_expired);
    else if (e.is == entry::state::taking || e.is == entry::state::taken ||
             (e.is == entry::state::inspecting && e.permits != 0))
      leave_taking(e);
    else if (e.is != entry::state::removing)
      vacate(context, e);
    forget(context, e);
  }
}

bool queue::empty() const noexcept {
  return entries_.empty() && waiting_.empty() && tries_.empty() && strays_.empty();
}

std::optional<std::size_t> queue::place_of(acquisition_id id) const noexcept {
  if (!known_) return std::nullopt;
  std::size_t before = 0;
  for (const auto wants : {role::exclusive, role::shared}) {
    const auto& taken = seats_[static_cast<std::size_t>(wants)].taken;
    const auto found = taken.find(id);
    if (found == taken.end()) continue;
    const entry& e = seat(wants, std::distance(taken.begin(), found));
    if (e.number < 0 || !covered(e)) return std::nullopt;
    before =
        static_cast<std::size_t>(std::distance(foreign_.begin(), foreign_.lower_bound(e.number)) +
                                 std::distance(own_.begin(), own_.find(e.number)));
    return before;
  }
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) return std::nullopt;
  return static_cast<std::size_t>(std::distance(foreign_.begin(), foreign_.upper_bound(*known_)) +
                                  std::distance(waiting_.begin(), found)) +
         own_.size() + creating_.entries;
}

bool queue::in_line(acquisition_id id) const noexcept {
  const bool has_place =
      !waiting_.contains(id) && !seats_[0].taken.contains(id) && !seats_[1].taken.contains(id);
  // Entries of ours are for those who came first: the others stand behind them.
  return has_place || !own_.empty() || starved();
}

queue::foreign_map::iterator queue::find_foreign(std::string_view name) noexcept {
  if (const auto parsed = parse_entry_name(name)) {
    auto [it, end] = foreign_.equal_range(parsed->number);
    for (; it != end; ++it)
      if (it->second.name == name) return it;
  }
  return foreign_.end();
}

entry* queue::find(entry_id id) noexcept {
  const auto it = entries_.find(id);
  return it == entries_.end() ? nullptr : &it->second;
}

// While something of ours is in the directory it cannot be deleted, and while we watch it we are
// told. Otherwise it may have been deleted and made again, with numbers that start from 0. What is
// only asked for does not count: it may come too late. Neither does what is about to be replaced by
// permits, which are elsewhere.
bool queue::anchored() const noexcept {
  return directory_watch_ == presence::present ||
         std::any_of(own_.begin(), own_.end(),
                     [](const auto& each) { return each.second->is != entry::state::taking; });
}

// Something of ours is about to go. What was asked for before that is in time.
void queue::weigh_anchor() noexcept {
  const bool followed = creating_.entries != 0 || directory_watch_ == presence::asked;
  if (!anchored() && !followed) forget_others();
}

void queue::forget_others() noexcept {
  known_.reset();
  foreign_.clear();
}

} // namespace zklock::queue
