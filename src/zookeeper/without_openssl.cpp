// In place of the folder openssl in a build without TLS.
#include "zookeeper/tls_context.hpp"

namespace zklock::zookeeper {

void tls_context::check(const tls_options&) {
  throw tls_refusal("tls", "this zklock is built without TLS (ZKLOCK_TLS)");
}

std::shared_ptr<tls_context> tls_context::make(const tls_options& settings, const tls_material&) {
  check(settings);
  return nullptr;
}

} // namespace zklock::zookeeper
