#pragma once

#include <string>

/// Returns the text by which a ticket server is known in the queue of the lock.
inline std::string identity_of(const std::string& server) {
  return "ticket server " + server;
}
