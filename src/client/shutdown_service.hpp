#pragma once

#include "client/context_guard.hpp"
#include "zookeeper/process.hpp"

#include <boost/asio/execution_context.hpp>

#include <memory>
#include <vector>

namespace zklock::detail {

/// A client, as the service of its execution context knows it.
class context_user : public std::enable_shared_from_this<context_user> {
 public:
  /// The execution context is being destroyed: drops everything that uses it.
  virtual void abandon() noexcept = 0;

  /// The execution context was notified of a fork, in the child: closes the client here, without
  /// effect on the parent.
  virtual void forked() = 0;

 protected:
  ~context_user() = default;
};

/// Notifies clients that their execution context is being destroyed, while its services can still
/// be used: a client drops everything that needs the context, though the client itself, its locks
/// and holds may live on. Also notifies clients in the child of a fork, if the context is notified.
class shutdown_service final : public boost::asio::execution_context::service {
 public:
  static boost::asio::execution_context::id id;

  explicit shutdown_service(boost::asio::execution_context& context) : service(context) {}

  void add(context_user& client);
  void remove(const context_user& client) noexcept;

  /// Removes a client whose last reference is released. The context exists: it waits until each
  /// such client is let go. Then it waits as long as the caller is inside.
  context_gate::inside let_go(const context_user& client, context_guard& guard) noexcept;

 private:
  void shutdown() override;
  void notify_fork(boost::asio::execution_context::fork_event event) override;

  std::vector<context_user*> clients_;
  zookeeper::process_mark process_;
};

} // namespace zklock::detail
