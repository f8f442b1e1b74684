#pragma once

#include <boost/asio/execution_context.hpp>

#include <vector>

namespace zklock::detail {

class client_impl;

/// Notifies clients that their execution context is being destroyed, while its services can still
/// be used: a client drops everything that needs the context, though the client itself, its locks
/// and holds may live on. Also notifies clients in the child of a fork, if the context is notified.
class shutdown_service final : public boost::asio::execution_context::service {
 public:
  static boost::asio::execution_context::id id;

  explicit shutdown_service(boost::asio::execution_context& context) : service(context) {}

  void add(client_impl& client);
  void remove(client_impl& client) noexcept;

 private:
  void shutdown() override;
  void notify_fork(boost::asio::execution_context::fork_event event) override;

  std::vector<client_impl*> clients_;
};

} // namespace zklock::detail
