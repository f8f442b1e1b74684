// How nodes of ours are deleted. What the servers refuse for a reason that may pass, since they are
// throttled for example, is sent again later, until the node is gone or the session is over: it
// would keep others from the lock. So is the list that shows what is to be deleted.

#include "queue/queue.hpp"

#include <algorithm>
#include <utility>

namespace zklock::queue {

using kind = action::kind;

void queue::send_remove(event_context& context, entry& e) {
  e.refused = false;
  context.actions.push_back({.what = e.permits == 0 ? kind::remove : kind::give_back,
                             .wants = e.wants,
                             .entry = e.id,
                             .number = e.number,
                             .permits = e.permits});
}

void queue::removed(event_context& context, entry_id id, answer result) {
  entry& e = *find(id);
  if (result == answer::failed) {
    e.refused = refused_ = true;
    return;
  }
  const bool gone = result == answer::ok || result == answer::no_node;
  forget(context, e, gone ? reason::none : to_reason(result));
  fill(context);
}

void queue::remove_stray(event_context& context, std::string name, bool is_permit) {
  auto one = std::find_if(strays_.begin(), strays_.end(),
                          [&](const stray& each) { return each.name == name; });
  if (one == strays_.end())
    one = strays_.insert(strays_.end(), {.name = std::move(name), .is_permit = is_permit});
  if (connected_ && !one->asked) send_stray(context, *one);
}

void queue::send_stray(event_context& context, stray& one) {
  one.asked = true;
  context.actions.push_back(
      {.what = one.is_permit ? kind::remove_stray_permit : kind::remove_stray, .name = one.name});
}

void queue::stray_removed(event_context&, std::string_view name, answer result) {
  const auto one = std::find_if(strays_.begin(), strays_.end(),
                                [&](const stray& each) { return each.name == name; });
  if (one == strays_.end()) return;
  if (result == answer::failed) {
    one->asked = false;
    refused_ = true;
  } else {
    strays_.erase(one);
  }
}

// A new connection sends all of it again by itself: the strays at once, and of the entries what the
// list of the recovery shows.
void queue::try_again(event_context& context) {
  if (!std::exchange(refused_, false)) return;
  if (std::exchange(relist_, false)) list(context, kind::sync_and_list);
  for (auto& one : strays_)
    if (!one.asked) send_stray(context, one);
  for (auto& [id, e] : entries_)
    if (e.refused) send_remove(context, e);
}

} // namespace zklock::queue
