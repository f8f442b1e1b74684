#include "zookeeper/openssl/reason.hpp"

#include "zookeeper/tls_material.hpp"

#include <openssl/err.h>

namespace zklock::zookeeper::openssl {

// The queue has the first error at its beginning.
std::string reason() {
  const auto code = ERR_peek_error();
  const char* const text = code ? ERR_reason_error_string(code) : nullptr;
  return text ? text : "OpenSSL gives no reason";
}

void refuse(const std::string& name) {
  throw tls_refusal(name, reason());
}

} // namespace zklock::zookeeper::openssl
