// Curator's InterProcessSemaphoreV2: the first in line creates the node of its permit, and waits
// until there are no more permits than the limit. Only then it deletes its entry.

#include "foreign_client.hpp"

namespace simulation {

void foreign_client::create_permit() {
  is_ = state::creating_permit;
  connection_.sent.push_back({.what = request::kind::create,
                              .directory = permits(),
                              .name = "_c_" + uuid(world_.dice) + "-lease-"});
}

void foreign_client::list_permits() {
  is_ = state::waiting_for_permits;
  connection_.sent.push_back({.what = request::kind::ask_limit, .directory = directory_});
  connection_.sent.push_back({.what = request::kind::list_and_watch, .directory = permits()});
}

void foreign_client::remove_permit() {
  is_ = state::deleting;
  ++leaving_;
  connection_.sent.push_back(
      {.what = request::kind::remove, .directory = permits(), .name = permit_});
}

void foreign_client::treat_permits(const reply& reply) {
  switch (reply.to.what) {
  case request::kind::make_parents:
    return gives_up_ ? remove() : create_permit();
  case request::kind::create:
    if (reply.result == status::no_node) {
      is_ = state::making_permits;
      connection_.sent.push_back({.what = request::kind::make_parents, .directory = permits()});
      return;
    }
    node_ = world_.ensemble.find_created(reply.czxid);
    permit_ = world_.ensemble.at(node_).name;
    world_.trace(name_, " makes ", permit_);
    if (!gives_up_) return list_permits();
    remove_permit();
    return remove();
  case request::kind::ask_limit:
    limit_ = reply.limit;
    return;
  case request::kind::list_and_watch:
    if (is_ == state::waiting_for_permits) look_at_permits(reply);
    return;
  case request::kind::remove:
    return removed();
  default:
    return;
  }
}

void foreign_client::look_at_permits(const reply& reply) {
  if (reply.children.size() > limit_) return world_.statistics.count(seen::foreign_permit_awaited);
  // Its session may have expired unnoticed: such a hold does not count.
  if (!world_.ensemble.lives(connection_.session)) return crash();
  world_.trace(name_, " holds by ", permit_);
  world_.statistics.count(seen::foreign_permit);
  is_ = state::holding;
  world_.referee.begin_permits({node_}, world_.plan.limit);
  ++leaving_;
  send(request::kind::remove, entry_);
}

} // namespace simulation
