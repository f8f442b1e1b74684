#include "lock/shutdown_service.hpp"

#include "lock/client_state.hpp"

#include <memory>

namespace zklock::detail {

boost::asio::execution_context::id shutdown_service::id;

void shutdown_service::add(client_state& client) {
  const std::lock_guard lock(mutex_);
  clients_.push_back(&client);
}

void shutdown_service::remove(client_state& client) noexcept {
  const std::lock_guard lock(mutex_);
  std::erase(clients_, &client);
}

void shutdown_service::shutdown() {
  for (;;) {
    std::shared_ptr<client_state> client;
    {
      const std::lock_guard lock(mutex_);
      if (clients_.empty()) return;
      client = clients_.back()->weak_from_this().lock();
      clients_.pop_back();
    }
    // Destroys handlers, and with them whatever they own: other clients among it.
    if (client) client->abandon();
  }
}

} // namespace zklock::detail
