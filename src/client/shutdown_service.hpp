#pragma once

#include <boost/asio/execution_context.hpp>

#include <vector>

namespace zklock::detail {

class client_state;

/// Tells clients that their execution context is being destroyed, while its services can still be
/// used: everything of theirs that needs the context must be gone by then, though the clients
/// themselves, their locks and holds may live on. Also tells them that they are in the child of a
/// fork, where its context is told.
class shutdown_service final : public boost::asio::execution_context::service {
 public:
  static boost::asio::execution_context::id id;

  explicit shutdown_service(boost::asio::execution_context& context) : service(context) {}

  void add(client_state& client);
  void remove(client_state& client) noexcept;

 private:
  void shutdown() override;
  void notify_fork(boost::asio::execution_context::fork_event event) override;

  std::vector<client_state*> clients_;
};

} // namespace zklock::detail
