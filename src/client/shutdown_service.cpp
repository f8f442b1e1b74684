#include "client/shutdown_service.hpp"

#include <mutex>
#include <thread>

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

context_gate::inside shutdown_service::let_go(const context_user& client,
                                              context_guard& guard) noexcept {
  const std::lock_guard lock(zookeeper::mutexes_of_process().clients);
  std::erase(clients_, &client);
  return guard.enter();
}

void shutdown_service::shutdown() {
  for (;;) {
    std::shared_ptr<context_user> client;
    {
      const std::lock_guard lock(zookeeper::mutexes_of_process().clients);
      if (clients_.empty()) return;
      client = clients_.back()->weak_from_this().lock();
      // A client without references is about to be let go, but by no thread in the child of a fork.
      if (client || !process_.is_current()) clients_.pop_back();
    }
    // This destroys handlers and the objects that they own, which may be other clients.
    if (client)
      client->abandon();
    else
      std::this_thread::yield();
  }
}

void shutdown_service::notify_fork(boost::asio::execution_context::fork_event event) {
  if (event != boost::asio::execution_context::fork_child) return;
  std::vector<std::shared_ptr<context_user>> clients;
  {
    const std::lock_guard lock(zookeeper::mutexes_of_process().clients);
    for (auto* each : clients_)
      if (auto client = each->weak_from_this().lock()) clients.push_back(std::move(client));
    std::erase_if(clients_, [](const auto* each) { return each->weak_from_this().expired(); });
    process_ = {};
  }
  for (const auto& client : clients)
    client->forked();
}

} // namespace zklock::detail
