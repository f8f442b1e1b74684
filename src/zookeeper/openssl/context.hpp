#pragma once

#include "zookeeper/openssl/pointers.hpp"
#include "zookeeper/openssl/resumable_sessions.hpp"
#include "zookeeper/tls_context.hpp"

namespace zklock::zookeeper::openssl {

/// TLS by OpenSSL.
class context final : public tls_context, public std::enable_shared_from_this<context> {
 public:
  context(const tls_options& settings, const tls_material& certificates);

  std::unique_ptr<transport> open(const std::string& address,
                                  const std::vector<std::string>& hosts) override;

  SSL_CTX* get() const noexcept { return context_.get(); }
  resumable_sessions& sessions() noexcept { return sessions_; }
  bool verifies_names() const noexcept { return verifies_names_; }
  bool has_certificate() const noexcept { return has_certificate_; }

 private:
  const context_pointer context_;
  const bool verifies_names_;
  const std::string server_name_;
  const bool has_certificate_;
  resumable_sessions sessions_;
};

} // namespace zklock::zookeeper::openssl
