#include "zookeeper/openssl/resumable_sessions.hpp"

#include <utility>

namespace zklock::zookeeper::openssl {

namespace {

// The list of servers can be replaced any number of times.
constexpr std::size_t most = 64;

} // namespace

void resumable_sessions::keep(const std::string& server, SSL_SESSION* session) {
  session_pointer taken(session);
  const std::lock_guard lock(mutex_);
  if (sessions_.size() >= most) sessions_.clear();
  sessions_[server] = std::move(taken);
}

void resumable_sessions::resume(SSL* connection, const std::string& server) {
  const std::lock_guard lock(mutex_);
  if (const auto found = sessions_.find(server); found != sessions_.end())
    SSL_set_session(connection, found->second.get());
}

void resumable_sessions::forget(const std::string& server) {
  const std::lock_guard lock(mutex_);
  sessions_.erase(server);
}

} // namespace zklock::zookeeper::openssl
