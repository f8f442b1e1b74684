// How a lock's directory deletes nodes.

#include "client/client_state.hpp"
#include "client/directory.hpp"

#include <utility>

namespace zklock::detail {

using queue::answer;

void directory::give_back(const queue::action& action) {
  leaving_[action.entry] = {action.permits, queue::answer::ok};
  for (std::uint32_t i = 0; i < action.permits; ++i)
    client_.session().send(zookeeper::remove{.path = permit_of(action, i)}, *this,
                           ask(kind::remove, action.entry));
}

// Of several permits the last answer counts, and what went wrong with any of them: what may pass
// before what stays, since all of them are then tried again.
void directory::removed(queue::entry_id id, answer result) {
  if (const auto it = leaving_.find(id); it != leaving_.end()) {
    auto& [left, worst] = it->second;
    const bool bad = result != answer::ok && result != answer::no_node;
    if (bad && worst != answer::failed) worst = result;
    if (--left != 0) return client_.settle(*this);
    if (worst != answer::ok) result = worst;
    leaving_.erase(it);
  }
  feed([&](queue::event_context& context) { queue_.removed(context, id, result); });
}

void directory::remove_stray(const queue::action& action) {
  const auto& above = action.what == kind::remove_stray_permit ? path_->permits : path();
  strays_asked_.push_back(action.name);
  client_.session().send(zookeeper::remove{.path = above + '/' + action.name}, *this,
                         ask(kind::remove_stray));
}

void directory::stray_removed(answer result) {
  const auto name = std::move(strays_asked_.front());
  strays_asked_.pop_front();
  // Nobody waits for it who could be told.
  if (result == answer::no_permission)
    client_.log(log_level::error,
                path() + ": " + name + " may not be deleted and stays until the session ends");
  feed([&](queue::event_context& context) { queue_.stray_removed(context, name, result); });
}

} // namespace zklock::detail
