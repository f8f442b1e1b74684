#pragma once

#include <zklock/tls_options.hpp>

#include "zookeeper/tls_material.hpp"
#include "zookeeper/transport.hpp"

#include <memory>
#include <string>
#include <vector>

namespace zklock::zookeeper {

/// TLS with certain certificates, for any number of connections. It keeps the TLS sessions of the
/// servers, to resume them.
///
/// Implemented in the only folder that knows OpenSSL, or by the source that takes its place in a
/// build without OpenSSL.
///
/// Thread safety: safe.
class tls_context {
 public:
  /// Checks the options but the certificates. Throws `tls_refusal`.
  static void check(const tls_options& settings);

  /// The certificates of `settings` are not looked at. Throws `tls_refusal`.
  static std::shared_ptr<tls_context> make(const tls_options& settings,
                                           const tls_material& certificates);

  tls_context(const tls_context&) = delete;
  tls_context& operator=(const tls_context&) = delete;
  virtual ~tls_context() = default;

  /// Makes the transport of a connection to a server. The server's certificate must be for one of
  /// `hosts`, names and addresses, unless the settings tell otherwise. Only a connection to the
  /// same `address` and hosts resumes its TLS session.
  virtual std::unique_ptr<transport> open(const std::string& address,
                                          const std::vector<std::string>& hosts) = 0;

 protected:
  tls_context() = default;
};

} // namespace zklock::zookeeper
