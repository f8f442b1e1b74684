#pragma once

#include "zookeeper/openssl/pointers.hpp"

#include <cstddef>
#include <map>
#include <mutex>
#include <string>

namespace zklock::zookeeper::openssl {

/// The TLS sessions that can be resumed, by server.
///
/// Thread safety: safe.
class resumable_sessions {
 public:
  /// Takes the session.
  void keep(const std::string& server, SSL_SESSION* session);
  void resume(SSL* connection, const std::string& server);
  void forget(const std::string& server);

 private:
  std::mutex mutex_;
  std::map<std::string, session_pointer> sessions_;
};

} // namespace zklock::zookeeper::openssl
