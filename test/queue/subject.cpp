#include "subject.hpp"

#include "queue/action_name.hpp"

#include <algorithm>
#include <memory>
#include <string_view>

namespace zklock::test {

using kind = queue::action::kind;
using queue::answer;
using queue::entry_id;
using queue::reason;
using queue::sequence;

namespace {

std::string to_string(reason why) {
  switch (why) {
  case reason::none:
    return "";
  case reason::busy:
    return " (busy)";
  case reason::budget_exhausted:
    return " (no room)";
  case reason::no_permission:
    return " (no permission)";
  case reason::no_chroot:
    return " (no chroot)";
  case reason::parent_is_ephemeral:
    return " (parent is ephemeral)";
  case reason::sequence_exhausted:
    return " (exhausted)";
  case reason::too_many_permits:
    return " (too many)";
  case reason::bad_limit:
    return " (bad limit)";
  case reason::failed:
    return " (failed)";
  case reason::entry_deleted:
    return " (deleted)";
  case reason::session_expired:
    return " (expired)";
  case reason::data_rolled_back:
    return " (rolled back)";
  }
  return " ?";
}

// " (2 3)": entries 2 and 3 must exist in the transaction.
std::string checks_of(const queue::action& action) {
  std::string text;
  for (const auto& each : action.checks)
    text += (text.empty() ? " (" : " ") + std::to_string(each.entry);
  return text.empty() ? text : text + ')';
}

std::string identity_of(const queue::action& action) {
  return action.identity ? " as " + *action.identity : std::string();
}

} // namespace

std::string subject::to_string(const queue::action& action) {
  const std::string name = name_of(action.what);
  const auto entry = ' ' + std::to_string(action.entry);
  const auto acquisition = ' ' + std::to_string(told(action));
  switch (action.what) {
  case kind::make_directory:
  case kind::make_parents:
  case kind::list:
  case kind::sync_and_list:
  case kind::list_and_watch:
  case kind::list_permits:
  case kind::ask_limit:
  case kind::watch_directory:
    return name;
  case kind::create:
  case kind::downgrade:
    return name + entry + identity_of(action);
  case kind::inspect:
  case kind::watch_data:
  case kind::confirm:
    return name + entry;
  case kind::remove:
    return name + entry + checks_of(action);
  case kind::check:
    return name + checks_of(action);
  case kind::remove_orphan:
  case kind::remove_orphan_permit:
    return name + ' ' + action.name;
  case kind::take:
    return name + ' ' + std::to_string(action.permits) + " for" + entry + identity_of(action);
  case kind::remove_permits:
    return "delete " + std::to_string(action.permits) +
           (action.permits == 1 ? " permit of" : " permits of") + entry;
  case kind::inspect_permit:
    return name + " of" + entry;
  case kind::watch:
    return name + ' ' + std::to_string(action.number);
  case kind::grant:
    return name + acquisition + (entry == acquisition ? "" : " by" + entry) +
           (action.turn == 0 ? "" : ", turn " + std::to_string(action.turn)) +
           (action.is_misnamed ? ", misnamed" : "");
  case kind::downgraded:
  case kind::refuse:
  case kind::lose:
  case kind::forget:
    return name + acquisition + zklock::test::to_string(action.why);
  }
  return name;
}

template <class Condition>
std::optional<subject::waiter> subject::take_waiter(Condition condition) {
  const auto it = std::find_if(waiting_.begin(), waiting_.end(), condition);
  if (it == waiting_.end()) return std::nullopt;
  const waiter taken = *it;
  waiting_.erase(it);
  return taken;
}

acquisition_id subject::told(const queue::action& action) {
  switch (action.what) {
  case kind::grant:
  case kind::refuse: {
    const auto taken = take_waiter([&](const waiter& w) { return w.demand == action.demand; });
    if (!taken) return 0;
    if (action.what == kind::grant) holders_[action.entry] = taken->id;
    return taken->id;
  }
  case kind::downgraded:
    return holders_.at(action.entry);
  case kind::lose:
  case kind::forget: {
    const auto id = holders_.at(action.entry);
    holders_.erase(action.entry);
    return id;
  }
  default:
    return 0;
  }
}

queue::entry_id subject::entry_of(acquisition_id id) const noexcept {
  for (const auto& [entry, holder] : holders_)
    if (holder == id) return entry;
  return 0;
}

subject::subject(const queue::settings& settings, std::size_t budget)
    : policy_(settings.policy), budget_(budget), queue_(settings, budget_) {}

void subject::make_first(queue::lock_mode asked) {
  connected();
  acquire(1, asked);
  created(1, 5);
  listed({own(1, 5, asked.wants)});
}

void subject::begin_second_use(queue::lock_mode asked) {
  make_first(asked);
  release(1);
  removed(1);
  acquire(2, asked);
  created(2, 6);
  listed({own(2, 6, asked.wants)});
}

template <class Event>
std::string subject::after(Event event) {
  std::vector<queue::action> actions;
  queue::event_context context{.proven = proven, .last_entry = last_entry_, .actions = actions};
  event(context);
  queue_.return_room();
  std::string result;
  for (const auto& action : actions) {
    result += (result.empty() ? "" : ", ") + to_string(action);
    if (action.what == kind::remove) removes_ = own(action.entry, action.number, action.wants);
  }
  return result;
}

std::string subject::resumed(const queue::idle_knowledge& known) {
  queue_.resume(known);
  return connected();
}

std::string subject::connected() {
  return after([&](auto& context) { queue_.connected(context, token_); });
}

std::string subject::acquire(acquisition_id id, queue::lock_mode asked) {
  if (const auto why = queue_.refusal(asked); why != reason::none)
    return "refuse " + std::to_string(id) + zklock::test::to_string(why);
  waiting_.push_back({id, queue_.add(asked)});
  return after([&](auto& context) { queue_.serve(context); });
}

std::string subject::try_acquire(acquisition_id id, queue::lock_mode asked) {
  if (const auto why = queue_.refusal(asked); why != reason::none)
    return "refuse " + std::to_string(id) + zklock::test::to_string(why);
  const auto demand = queue_.next_try();
  waiting_.push_back({id, demand});
  return after([&](auto& context) { queue_.start_try(context, demand, asked); });
}

void subject::granted_fast(entry_id by, std::uint32_t next_turn, acquisition_id holder,
                           const std::vector<acquisition_id>& gone,
                           const std::vector<waiting_acquisition>& added) {
  std::vector<queue::demand_id> demands;
  for (const auto id : gone)
    if (const auto taken = take_waiter([id](const waiter& w) { return w.id == id; }))
      demands.push_back(taken->demand);
  if (holder != 0) holders_[by] = holder;
  queue_.granted_fast(by, next_turn, holder != 0, demands);
  for (const auto& [id, asked] : added)
    waiting_.push_back({id, queue_.add(asked)});
}

void subject::lend(entry_id held) {
  holders_.erase(held);
  queue_.lend(held);
}

std::string subject::downgrade(acquisition_id id) {
  return after([&](auto& context) { queue_.downgrade(context, entry_of(id)); });
}

std::string subject::rename(acquisition_id id, const std::string& identity) {
  const auto to = identity.empty() ? nullptr : std::make_shared<const std::string>(identity);
  return after([&](auto& context) { queue_.set_identity(context, entry_of(id), to); });
}

std::string subject::release(acquisition_id id, bool may_keep) {
  const auto gives_up = take_waiter([id](const waiter& w) { return w.id == id; });
  if (!gives_up)
    return after([&](auto& context) { queue_.release(context, entry_of(id), may_keep); });
  const auto actions = after([&](auto& context) { queue_.withdraw(context, gives_up->demand); });
  return "forget " + std::to_string(id) + (actions.empty() ? "" : ", ") + actions;
}

std::string subject::prove(acquisition_id id) {
  return after([&](auto& context) { queue_.prove(context, entry_of(id)); });
}

std::string subject::try_again() {
  return after([&](auto& context) { queue_.try_again(context); });
}

std::string subject::drop_surplus() {
  return after([&](auto& context) { queue_.drop_surplus(context); });
}

std::string subject::refill() {
  return after([&](auto& context) { queue_.refill(context); });
}

std::string subject::expired() {
  return after([&](auto& context) { queue_.expired(context, queue::reason::session_expired); });
}

std::string subject::directory_made(answer result) {
  return after([&](auto& context) { queue_.events().directory_made(context, result); });
}

std::string subject::created(entry_id id, sequence number) {
  return after([&](auto& context) {
    queue_.events().created(context, id, answer::ok, number, 1000 + number);
  });
}

std::string subject::not_created(entry_id id, answer result) {
  return after([&](auto& context) { queue_.events().created(context, id, result, -1, 0); });
}

std::string subject::listed(const std::vector<std::string>& names,
                            std::optional<std::int64_t> children_ever) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  sequence shown = 0;
  for (const auto name : views)
    if (const auto parsed = queue::parse_entry_name(name))
      shown = std::max(shown, parsed->number + 1);
  return after([&](auto& context) {
    queue_.events().listed(context, answer::ok, views, children_ever.value_or(shown));
  });
}

std::string subject::not_listed(answer result) {
  return after([&](auto& context) { queue_.events().listed(context, result, {}, 0); });
}

std::string subject::children_listed(const std::vector<std::string>& names) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  sequence shown = 0;
  for (const auto name : views)
    if (const auto parsed = queue::parse_entry_name(name))
      shown = std::max(shown, parsed->number + 1);
  return after(
      [&](auto& context) { queue_.events().children_listed(context, answer::ok, views, shown); });
}

std::string subject::children_not_listed(answer result) {
  return after([&](auto& context) { queue_.events().children_listed(context, result, {}, 0); });
}

std::string subject::children_changed() {
  return after([&](auto& context) { queue_.events().children_changed(context); });
}

std::string subject::evict() {
  return after([&](auto& context) { queue_.evict(context); });
}

queue::entry_id subject::for_fast_path() const noexcept {
  const auto* const found = queue_.entry_for_fast_path();
  return found ? found->id : 0;
}

std::string subject::removed(entry_id id, answer result) {
  return after([&](auto& context) { queue_.events().removed(context, id, result); });
}

std::string subject::orphan_removed(const std::string& name, answer result) {
  return after([&](auto&) { queue_.events().orphan_removed(name, result); });
}

std::string subject::inspected(entry_id id, answer result) {
  return after([&](auto& context) { queue_.events().inspected(context, id, result, 1000); });
}

std::string subject::watched(sequence number, answer result) {
  return after([&](auto& context) { queue_.events().watched(context, other(number), result); });
}

std::string subject::data_watched(entry_id id, answer result, bool changed) {
  return after([&](auto& context) { queue_.events().data_watched(context, id, result, changed); });
}

std::string subject::data_changed(entry_id id, sequence number, queue::role wants) {
  return after([&](auto& context) {
    queue_.events().entry_changed(context, own(id, number, wants), false);
  });
}

std::string subject::directory_watched(answer result) {
  return after([&](auto& context) { queue_.events().directory_watched(context, result); });
}

std::string subject::confirmed() {
  return after([&](auto& context) { queue_.events().confirmed(context); });
}

std::string subject::downgraded(entry_id id, answer result) {
  return after([&](auto& context) { queue_.events().downgraded(context, id, result); });
}

std::string subject::taken(entry_id id, answer result, bool no_entry) {
  return after([&](auto& context) { queue_.events().taken(context, id, result, no_entry, 2000); });
}

std::string subject::permits_listed(const std::vector<std::string>& names) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  return after([&](auto& context) { queue_.events().permits_listed(context, answer::ok, views); });
}

std::string subject::permits_not_listed(answer result) {
  return after([&](auto& context) { queue_.events().permits_listed(context, result, {}); });
}

std::string subject::permits_changed() {
  return after([&](auto& context) { queue_.events().permits_changed(context); });
}

std::string subject::limited(std::optional<std::uint32_t> value) {
  return after([&](auto& context) { queue_.events().limited(context, answer::ok, value); });
}

std::string subject::not_limited(answer result) {
  return after([&](auto& context) { queue_.events().limited(context, result, {}); });
}

std::string subject::limit_changed() {
  return after([&](auto& context) { queue_.events().limit_changed(context); });
}

std::string subject::deleted(sequence number, queue::role wants) {
  return after(
      [&](auto& context) { queue_.events().entry_changed(context, other(number, wants), true); });
}

std::string subject::changed(sequence number) {
  return after(
      [&](auto& context) { queue_.events().entry_changed(context, other(number), false); });
}

std::string subject::directory_changed(bool deleted) {
  return after([&](auto& context) { queue_.events().directory_changed(context, deleted); });
}

std::string subject::missing(entry_id id, queue::form node) {
  return after([&](auto& context) { queue_.events().missing(context, id, node); });
}

std::string subject::own(entry_id id, sequence number, queue::role wants) const {
  std::string name;
  append_prefix(name, token_, id, policy_.label(wants));
  queue::append_number(name, number);
  return name;
}

std::string subject::other(sequence number, queue::role wants) const {
  std::string name = "_c_0f3c1b1a-6f0e-4b6e-a1fb-2b8b1c9d0e1f";
  name += policy_.label(wants);
  queue::append_number(name, number);
  return name;
}

std::string subject::permit(entry_id id, std::uint32_t index) const {
  std::string name;
  queue::append_permit(name, token_, id, index);
  return name;
}

std::string subject::other_permit(std::uint32_t number) {
  std::string name = "_c_0f3c1b1a-6f0e-4b6e-a1fb-2b8b1c9d0e1f-lease-";
  queue::append_number(name, number);
  return name;
}

} // namespace zklock::test
