#include "queue/line.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace zklock::queue {

void line::disconnected() noexcept {
  channel_.disconnected();
  directory_watch_ = watch_state::none;
  forget();
}

bool line::is_any_held_uncovered() const noexcept {
  constexpr std::array roles{role::exclusive, role::shared};
  return std::any_of(roles.begin(), roles.end(), [this](role wants) {
    const auto& some = own_.held(wants);
    return !some.empty() && !covers(*some.rbegin()->second);
  });
}

// An entry of another client with an equal number does not come before ours.
bool line::is_first_ours() const noexcept {
  if (own().empty() || !covers(*own().begin()->second)) return false;
  return foreign_.empty() || foreign_.all().begin()->first >= own().begin()->first;
}

bool line::is_renumbered(sequence number) const noexcept {
  const bool falls = number <= known_ || (!own().empty() && number <= own().rbegin()->first);
  return falls && number >= 0;
}

// If nothing is known, a list is on its way; but the number 0 shows that there was no child before.
void line::number_given(sequence number) noexcept {
  const sequence next = known_ ? *known_ + 1 : 0;
  met_gap_ = known_ && number != next;
  if (number == next) known_ = number;
}

predecessors line::ours() const noexcept {
  predecessors before = channel_.creating();
  before.entries += static_cast<std::uint32_t>(own().size());
  before.exclusive += static_cast<std::uint32_t>(own_.count_writers());
  return before;
}

predecessors line::all(bool with_cached) const noexcept {
  predecessors before = ours();
  for (const auto& [number, other] : foreign_.all())
    if (number <= known_ && (with_cached || !other.may_be_cached)) before.add(other.wants);
  return before;
}

std::optional<std::size_t> line::count_before(const entry& e) const noexcept {
  if (!known_ || e.number < 0 || !covers(e)) return std::nullopt;
  return foreign_.count_before(e.number) +
         static_cast<std::size_t>(std::distance(own().begin(), own().find(e.number)));
}

std::optional<std::size_t> line::count_known() const noexcept {
  if (!known_) return std::nullopt;
  return foreign_.count_before(*known_ + 1) + own().size() + channel_.creating().entries;
}

void line::plan_again() noexcept {
  for (const auto& [number, e] : own())
    e->ahead = entry::plan::none;
}

std::optional<sequence> line::conflicting_own_before(const entry& e) const noexcept {
  const bool passes_readers = e.wants == role::shared && foreign_.tells_roles();
  const entry* const found = passes_readers ? own_.last_writer(e.number) : own_.last(e.number);
  return found ? std::optional(found->number) : std::nullopt;
}

bool line::look_ahead(event_context& context, entry& e) {
  using foreign = foreign_entries::foreign;
  if (look_ahead_ == 0) return false;
  // The entries before a conflicting entry of ours are watched for that entry.
  const auto floor = conflicting_own_before(e);
  std::size_t seen = 0;
  std::size_t watched = 0;
  bool is_unconfirmed = false;
  std::vector<std::pair<sequence, foreign*>> unwatched;
  foreign_.visit_before(e.number, e.wants, [&](auto& one) {
    if (one.first < floor) return false; // Never, if there is no such entry.
    is_unconfirmed = one.second.is == foreign::state::unconfirmed;
    if (is_unconfirmed) return false;
    if (one.second.is == foreign::state::watched)
      ++watched;
    else
      unwatched.emplace_back(one.first, &one.second);
    return ++seen < look_ahead_;
  });
  if (is_unconfirmed) e.ahead = entry::plan::verifying;
  if (is_unconfirmed || unwatched.empty()) return is_unconfirmed;

  if (e.ahead == entry::plan::none) {
    e.ahead = entry::plan::made;
    for (const auto& [number, one] : unwatched) {
      one->is = foreign::state::watched;
      context.actions.push_back({.what = action::kind::watch, .number = number, .name = one->name});
    }
    return false;
  }
  // A further watch for each predecessor that goes would cost a request at each hand-over. Instead,
  // with the last watched predecessor, a list tells which predecessors are left: as a rule none.
  if (watched > 1) return false;
  e.ahead = entry::plan::verifying;
  return true;
}

bool line::is_overtaken(const entry& e) const noexcept {
  return !policy_.may_hold(foreign_.between(0, e.number), e.wants);
}

// A watch that is being armed does not count, since it may come too late; nor does an entry that
// permits are replacing, since the permits are in another directory.
bool line::is_pinned() const noexcept {
  return directory_watch_ == watch_state::set ||
         std::any_of(own().begin(), own().end(),
                     [](const auto& each) { return !each.second->is_replacing(); });
}

bool line::arm_directory_watch() noexcept {
  if (directory_watch_ != watch_state::none) return false;
  directory_watch_ = watch_state::arming;
  return true;
}

bool line::directory_watch_answered(bool is_set) noexcept {
  if (directory_watch_ != watch_state::arming) return false;
  directory_watch_ = is_set ? watch_state::set : watch_state::none;
  forget_unless_pinned();
  return true;
}

void line::forget_unless_pinned() noexcept {
  if (!is_pinned()) forget();
}

void line::leave() noexcept {
  const bool followed = channel_.is_creating() || directory_watch_ == watch_state::arming;
  if (!followed) forget_unless_pinned();
}

void line::forget() noexcept {
  known_.reset();
  foreign_.clear();
}

void line::pin_lost() noexcept {
  forget();
  pin_lost_ = channel_.next_order();
}

// The watches on entries of other clients end with their line.
std::optional<sequence> line::gone_up_to() const noexcept {
  return own().empty() && foreign_.empty() ? known_ : std::nullopt;
}

// Numbers rise by 1 with each child that the directory ever had. A child with a higher number was
// given its whole name by hand: it is behind all entries until numbers come to it, and must not
// make a new entry look like an entry of another directory. Or a server that differs shows a node
// of a directory that is gone: entries that are still to come have the numbers up to that node.
line::listing line::read(std::span<const std::string_view> names, std::int64_t children_ever) {
  const foreign_entries before = std::exchange(foreign_, foreign_entries(policy_));
  listing shown{.own = {},
                .others = foreign_entries(policy_),
                .highest = std::max(known_.value_or(-1), children_ever - 1)};
  for (const auto name : names) {
    const auto parsed = parse_entry_name(name);
    if (!parsed) continue;
    if (parsed->has_id && parsed->token == channel_.token()) {
      shown.own.push_back({*parsed, name});
    } else {
      shown.others.add(*parsed, name, before.is_watched(parsed->number, name));
    }
  }
  return shown;
}

void line::adopt(listing& shown) noexcept {
  foreign_ = std::move(shown.others);
}

void line::complete(const listing& shown) noexcept {
  known_ = shown.highest;
  pin_lost_ = 0;
  for (const auto& [number, e] : own())
    if (e->ahead == entry::plan::verifying) e->ahead = entry::plan::none;
}

} // namespace zklock::queue
