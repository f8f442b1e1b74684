// How a lock's directory replaces entries by permits and readers' nodes.

#include "client/client_state.hpp"
#include "client/directory.hpp"
#include "client/permit_limit.hpp"

#include <utility>

namespace zklock::detail {

using kind = queue::action::kind;
using zookeeper::write;

std::string directory::permit_of(const queue::action& action, std::uint32_t index) const {
  std::string path;
  append_permit_path(path, path_->permits, client_.token(), action.entry, index);
  return path;
}

// The entry's node comes first: where it is missing, that is what the transaction fails for. The
// identity is in the first permit only: a transaction must not grow with both.
void directory::send_take(const queue::action& action) {
  std::vector<write> writes{{.what = write::kind::remove, .path = node_of(action)}};
  writes.reserve(std::size_t{action.permits} + 2);
  for (std::uint32_t i = 0; i < action.permits; ++i)
    writes.push_back(
        {.what = write::kind::create, .path = permit_of(action, i), .ephemeral = true});
  // Only for setting data does the C client tell the id of the transaction.
  writes.push_back(
      {.what = write::kind::set, .path = permit_of(action, 0), .data = client_.identity()});
  client_.session().send(zookeeper::transact{.writes = std::move(writes)}, *this,
                         ask(action.what, action.entry));
}

void directory::send_downgrade(const queue::action& action) {
  auto reader = action;
  reader.wants = queue::role::shared;
  std::vector<write> writes{{.what = write::kind::remove, .path = node_of(action)},
                            {.what = write::kind::create,
                             .path = node_of(reader),
                             .data = client_.identity(),
                             .ephemeral = true}};
  client_.session().send(zookeeper::transact{.writes = std::move(writes)}, *this,
                         ask(action.what, action.entry));
}

// An error code has no room for figures.
void directory::log_too_many(const acquisition& c, queue::reason why) const {
  const auto permits = c.wanted().permits;
  const auto log = [&](const std::string& fault) {
    client_.log(log_level::error,
                path_->given + ": " + std::to_string(permits) + " permits " + fault);
  };
  if (why == queue::reason::budget_exhausted && !queue_.fits_budget(permits))
    log("take " + std::to_string(permits * entry_bytes_) + " bytes of node paths, owned_bytes is " +
        std::to_string(client_.options().owned_bytes));
  if (why == queue::reason::too_many_permits && permits > most_permits_)
    log("do not fit into one transaction: with this path, identity and access list " +
        std::to_string(most_permits_) + " do");
}

void directory::limited(const zookeeper::reply& reply) {
  const auto value = parse_permit_limit(reply);
  const bool denied = reply.result == zookeeper::status::no_permission;
  const bool ok = reply.result == zookeeper::status::ok;
  feed([&](queue::event_context& context) {
    queue_.limited(context,
                   denied ? queue::answer::no_permission
                   : ok   ? queue::answer::ok
                          : queue::answer::failed,
                   value);
  });
}

} // namespace zklock::detail
