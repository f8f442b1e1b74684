// Lists the locks that this client holds and waits for.

#include "client/client_locks.hpp"
#include "client/lock_definition.hpp"
#include "inspect/queries.hpp"
#include "inspect/query_operation.hpp"

#include <utility>
#include <vector>

namespace zklock::detail {

namespace {

/// A query that the client itself answers, connected or not.
template <class Listed>
class own_locks_query : public query_operation<std::vector<Listed>> {
 public:
  using query_operation<std::vector<Listed>>::query_operation;

 protected:
  /// Calls a function with each acquisition in this phase.
  template <class Function>
  void for_each(acquisition::phase wanted, Function function) {
    for (const auto& [line, used] : this->locks().table())
      for (const auto& c : used->acquisitions())
        if (c->current() == wanted) function(*c);
  }

 private:
  void begin() final {}
  void answered(zookeeper::request_tag, const zookeeper::reply&) final {}
};

class holds_query final : public own_locks_query<held_lock> {
 public:
  holds_query(open_queries& all, operation<error_code, std::vector<held_lock>> op)
      : own_locks_query(all, std::move(op)) {}

 private:
  void started() override {
    std::vector<held_lock> all;
    for_each(acquisition::phase::held, [&](const acquisition& c) {
      all.push_back({.path = c.path()->given,
                     .type = type_of(c.path()->kind),
                     .role = role_of(*c.path(), c.held().wants),
                     .permits = c.held().permits,
                     .node = c.node(),
                     .token = c.entry().token(),
                     .state = c.state(),
                     .since = c.since});
    });
    complete({}, std::move(all));
  }
};

class waits_query final : public own_locks_query<awaited_lock> {
 public:
  waits_query(open_queries& all, operation<error_code, std::vector<awaited_lock>> op)
      : own_locks_query(all, std::move(op)) {}

 private:
  void started() override {
    std::vector<awaited_lock> all;
    for_each(acquisition::phase::waiting, [&](const acquisition& c) {
      all.push_back({.path = c.path()->given,
                     .type = type_of(c.path()->kind),
                     .role = role_of(*c.path(), c.wanted().wants),
                     .permits = c.wanted().permits,
                     .since = c.since,
                     .deadline = c.deadline});
    });
    complete({}, std::move(all));
  }
};

} // namespace

void start_held_locks(const std::shared_ptr<lock_calls>& client,
                      handler<held_locks_signature> handler) {
  start_query<holds_query>(client, std::move(handler));
}

void start_awaited_locks(const std::shared_ptr<lock_calls>& client,
                         handler<awaited_locks_signature> handler) {
  start_query<waits_query>(client, std::move(handler));
}

} // namespace zklock::detail
