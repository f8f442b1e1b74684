#include "queue/line.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace zklock::queue {

void line::connected(bool recovers) noexcept {
  connection_ = recovers ? connection::recovering : connection::ready;
}

void line::disconnected() noexcept {
  connection_ = connection::none;
  is_listing_ = false;
  directory_watch_ = watch_state::none;
  creating_ = {};
  forget();
}

void line::begin_list() noexcept {
  is_listing_ = true;
  list_order_ = next_order();
}

// As where an entry may hold: an entry of another client with an equal number is not before ours.
bool line::is_first_ours() const noexcept {
  if (own().empty() || !covers(*own().begin()->second)) return false;
  return foreign_.empty() || foreign_.begin()->first >= own().begin()->first;
}

bool line::is_renumbered(sequence number) const noexcept {
  const bool falls = number <= known_ || (!own().empty() && number <= own().rbegin()->first);
  return falls && number >= 0;
}

// Where nothing was known a list is on its way; but the number 0 shows that no child was before.
void line::number_given(sequence number) noexcept {
  const sequence next = known_ ? *known_ + 1 : 0;
  met_gap_ = known_ && number != next;
  if (number == next) known_ = number;
}

predecessors line::ours() const noexcept {
  predecessors before = creating_;
  before.entries += static_cast<std::uint32_t>(own().size());
  before.exclusive += static_cast<std::uint32_t>(own_.count_writers());
  return before;
}

predecessors line::all(bool with_kept) const noexcept {
  predecessors before = ours();
  for (const auto& [number, other] : foreign_)
    if (number <= known_ && (with_kept || !other.may_be_kept)) before.add(other.wants);
  return before;
}

std::optional<std::size_t> line::count_before(const entry& e) const noexcept {
  if (!known_ || e.number < 0 || !covers(e)) return std::nullopt;
  return static_cast<std::size_t>(std::distance(foreign_.begin(), foreign_.lower_bound(e.number)) +
                                  std::distance(own().begin(), own().find(e.number)));
}

std::optional<std::size_t> line::count_known() const noexcept {
  if (!known_) return std::nullopt;
  const auto others = std::distance(foreign_.begin(), foreign_.upper_bound(*known_));
  return static_cast<std::size_t>(others) + own().size() + creating_.entries;
}

bool line::has_others(role wants) const noexcept {
  return wants == role::shared && tells_roles() ? !writers_.empty() : !foreign_.empty();
}

line::foreign_entries::iterator line::find(std::string_view name) noexcept {
  if (const auto parsed = parse_entry_name(name)) {
    auto [it, end] = foreign_.equal_range(parsed->number);
    for (; it != end; ++it)
      if (it->second.name == name) return it;
  }
  return foreign_.end();
}

line::change line::entry_gone(std::string_view name) {
  const auto it = find(name);
  if (it == foreign_.end()) return change::none;
  foreign& one = it->second;
  if (one.is == foreign::state::unconfirmed || policy_.may_be_replaced(one.wants)) {
    one.is = foreign::state::unconfirmed;
    if (one.wants == role::exclusive) erase_writer(it);
    one.wants = role::shared;
    return change::replaced;
  }
  erase(it);
  return change::gone;
}

bool line::entry_unwatched(std::string_view name) noexcept {
  const auto it = find(name);
  if (it == foreign_.end()) return false;
  if (it->second.is == foreign::state::watched) it->second.is = foreign::state::unwatched;
  return true;
}

void line::plan_again() noexcept {
  for (const auto& [number, e] : own())
    e->ahead = entry::plan::none;
}

// What is only asked for does not count: it may come too late. Neither does what permits replace,
// since they are elsewhere.
bool line::is_pinned() const noexcept {
  return directory_watch_ == watch_state::set ||
         std::any_of(own().begin(), own().end(),
                     [](const auto& each) { return !each.second->is_replacing(); });
}

bool line::ask_directory_watch() noexcept {
  if (directory_watch_ != watch_state::none) return false;
  directory_watch_ = watch_state::asked;
  return true;
}

bool line::directory_watch_answered(bool is_set) noexcept {
  if (directory_watch_ != watch_state::asked) return false;
  directory_watch_ = is_set ? watch_state::set : watch_state::none;
  forget_unless_pinned();
  return true;
}

void line::forget_unless_pinned() noexcept {
  if (!is_pinned()) forget();
}

void line::leave() noexcept {
  const bool followed = creating_.entries != 0 || directory_watch_ == watch_state::asked;
  if (!followed) forget_unless_pinned();
}

void line::forget() noexcept {
  known_.reset();
  writers_.clear();
  foreign_.clear();
}

void line::pin_lost() noexcept {
  forget();
  pin_lost_ = next_order();
}

bool line::is_overtaken(const entry& e) const noexcept {
  return !policy_.may_hold(others_between(0, e.number), e.wants);
}

// Numbers are given out in order, one for each child that the directory ever had. A child with a
// higher one was given its whole name: it is behind all that get in line until numbers come to it,
// and must not make the next of them look like one of another directory.
line::listing line::read(std::span<const std::string_view> names, session_token token,
                         std::int64_t children_ever) {
  writers_.clear();
  const foreign_entries before = std::exchange(foreign_, {});
  const auto is_watched = [&](sequence number, std::string_view name) {
    const auto [begin, end] = before.equal_range(number);
    return std::any_of(begin, end, [&](const auto& each) {
      return each.second.is == foreign::state::watched && each.second.name == name;
    });
  };
  listing shown{.own = std::pmr::vector<listing::own_entry>(own().get_allocator()),
                .others = {},
                .highest = std::max(known_.value_or(-1), children_ever - 1)};
  for (const auto name : names) {
    const auto parsed = parse_entry_name(name);
    if (!parsed) continue;
    if (parsed->has_id && parsed->token == token) {
      shown.highest = std::max(shown.highest, parsed->number);
      shown.own.push_back({*parsed, name});
      continue;
    }
    const bool watched = is_watched(parsed->number, name);
    shown.others.emplace(parsed->number,
                         foreign{std::string(name), policy_.seen_as(parsed->wants),
                                 parsed->has_id && parsed->token.keeps(),
                                 watched ? foreign::state::watched : foreign::state::unwatched});
  }
  return shown;
}

void line::adopt(listing& shown) noexcept {
  foreign_ = std::move(shown.others);
  if (!tells_roles()) return;
  for (auto it = foreign_.begin(); it != foreign_.end(); ++it)
    if (it->second.wants == role::exclusive) writers_.emplace_hint(writers_.end(), it->first, it);
}

void line::complete(const listing& shown) noexcept {
  known_ = shown.highest;
  pin_lost_ = 0;
  for (const auto& [number, e] : own())
    if (e->ahead == entry::plan::verifying) e->ahead = entry::plan::none;
}

} // namespace zklock::queue
