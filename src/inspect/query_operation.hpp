#pragma once

#include "client/client_core.hpp"
#include "client/lock_calls.hpp"
#include "client/query.hpp"
#include "client/start_operation.hpp"

#include <boost/asio/error.hpp>

#include <memory>
#include <utility>

namespace zklock::detail {

/// A query that ends by completing an operation.
template <class... Results>
class query_operation : public query {
 public:
  void drop() noexcept override {
    if (op_->elsewhere()) failed(errc::closed);
    op_->drop();
  }

 protected:
  query_operation(open_queries& all, operation<error_code, Results...> op) noexcept
      : query(all), op_(std::move(op)) {}

  void complete(error_code result, Results... values) {
    end();
    op_->post(result, std::move(values)...);
  }

  void failed(error_code why) override { op_->post(why, Results()...); }

 private:
  const operation<error_code, Results...> op_;
};

/// Converts the result of a request to the error of an operation. A caller to which a missing node
/// is no error checks for it first.
inline error_code error_of(zookeeper::status result) noexcept {
  switch (result) {
  case zookeeper::status::ok:
    return {};
  case zookeeper::status::no_node:
    return errc::no_node;
  case zookeeper::status::node_exists:
    return errc::node_exists;
  case zookeeper::status::bad_version:
    return errc::bad_version;
  case zookeeper::status::not_empty:
    return errc::not_empty;
  case zookeeper::status::no_permission:
    return errc::no_permission;
  case zookeeper::status::parent_is_ephemeral:
    return errc::not_a_directory;
  case zookeeper::status::undone:
  case zookeeper::status::failed:
    return errc::refused;
  }
  return errc::refused;
}

/// Starts a query, and fails the query when the operation is cancelled. The query is constructed
/// from the client, the operation and the arguments.
template <class Query, class... Results, class... Arguments>
void start_query(const std::shared_ptr<lock_calls>& client,
                 handler<void(error_code, Results...)> handler, Arguments&&... about) {
  const auto start = [&](const auto& op) {
    std::shared_ptr<query> started =
        std::make_shared<Query>(client->queries(), op, std::forward<Arguments>(about)...);
    on_cancellation(op->slot(), started, [by = std::weak_ptr(client)](const auto& found, auto) {
      if (const auto alive = by.lock())
        alive->core().run([found] { found->fail(asio::error::operation_aborted); });
    });
    client->core().run(
        [to = &client->queries(), started = std::move(started)] { to->start(started); });
  };
  start_operation(client->core(), std::move(handler), start, errc::closed, Results()...);
}

} // namespace zklock::detail
