#include "client/shutdown_service.hpp"

#include "zookeeper/process.hpp"

#include <mutex>

namespace zklock::detail {

boost::asio::execution_context::id shutdown_service::id;

void shutdown_service::add(context_user& client) {
  const std::lock_guard lock(zookeeper::mutexes_of_process().clients);
  clients_.push_back(&client);
}

void shutdown_service::remove(const context_user& client) noexcept {
  const std::lock_guard lock(zookeeper::mutexes_of_process().clients);
  std::erase(clients_, &client);
}

void shutdown_service::shutdown() {
  for (;;) {
    std::shared_ptr<context_user> client;
    {
      const std::lock_guard lock(zookeeper::mutexes_of_process().clients);
      if (clients_.empty()) return;
      client = clients_.back()->weak_from_this().lock();
      clients_.pop_back();
    }
    // This destroys handlers and the objects that they own, which may be other clients.
    if (client) client->abandon();
  }
}

void shutdown_service::notify_fork(boost::asio::execution_context::fork_event event) {
  if (event != boost::asio::execution_context::fork_child) return;
  std::vector<std::shared_ptr<context_user>> clients;
  {
    const std::lock_guard lock(zookeeper::mutexes_of_process().clients);
    for (auto* each : clients_)
      if (auto client = each->weak_from_this().lock()) clients.push_back(std::move(client));
  }
  for (const auto& client : clients)
    client->forked();
}

} // namespace zklock::detail
