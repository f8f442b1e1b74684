// How the servers process transactions.

#include "ensemble.hpp"

#include <algorithm>
#include <utility>

namespace simulation {

using write_kind = zklock::zookeeper::write::kind;

// Each part is examined in turn, as if the earlier parts were carried out. A server that refuses a
// part by itself refuses the whole transaction.
void ensemble::examine(reply& outcome) const {
  const auto& parts = outcome.to.parts;
  const auto refused = [this](const part& each) { return permits(each) == status::failed; };
  if (std::any_of(parts.begin(), parts.end(), refused)) {
    outcome.result = status::failed;
    return;
  }
  const auto exists = [&](const part& what) {
    bool there = truth().find(what.directory, what.name) != no_such_node;
    for (std::size_t i = 0; i < outcome.first_failed; ++i)
      if (parts[i].directory == what.directory && parts[i].name == what.name)
        there =
            parts[i].what == write_kind::create || (there && parts[i].what != write_kind::remove);
    return there;
  };
  for (const auto& each : parts) {
    outcome.result = permits(each);
    if (outcome.result != status::ok) return;
    if (each.what != write_kind::create && !exists(each))
      outcome.result = status::no_node;
    else if (each.what == write_kind::create && !truth().at(each.directory).exists)
      outcome.result = status::no_node;
    else if (each.what == write_kind::create && exists(each))
      outcome.result = status::node_exists;
    if (outcome.result != status::ok) return;
    ++outcome.first_failed;
  }
}

// A node that is created beside a deleted node replaces it: a reader's node replaces a writer's
// node.
void ensemble::transact(reply& outcome, change& change) {
  change.what = change::kind::transaction;
  outcome.czxid = static_cast<std::int64_t>(log_.size()) + 1;
  node_id removed = no_such_node;
  sequence index = 0;
  for (const auto& each : outcome.to.parts) {
    if (each.what == write_kind::remove) {
      removed = truth().find(each.directory, each.name);
      change.parts.push_back(
          {.what = change::kind::remove, .directory = each.directory, .node = removed});
    } else if (each.what == write_kind::create) {
      const bool replaces = removed != no_such_node && nodes_[removed].directory == each.directory;
      const auto made =
          replaces ? add_reader(each.name, removed) : add_permit(each, outcome.to, change.session);
      nodes_[made].identity = each.identity;
      if (!replaces) nodes_[made].number = index++;
      change.parts.push_back(
          {.what = change::kind::create, .directory = each.directory, .node = made});
    }
  }
}

} // namespace simulation
