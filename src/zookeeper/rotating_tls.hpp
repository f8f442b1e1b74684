#pragma once

#include <zklock/tls_options.hpp>

#include "zookeeper/logger.hpp"
#include "zookeeper/tls_context.hpp"
#include "zookeeper/tls_source.hpp"
#include "zookeeper/transport.hpp"

#include <memory>
#include <string>
#include <vector>

namespace zklock::zookeeper {

/// The TLS of a client whose certificates and keys may change at any time: each connection has the
/// newest usable certificates.
class rotating_tls {
 public:
  /// Reads the certificates, unless a provider has them, which must not be called here. Throws
  /// `boost::system::system_error` of `errc::bad_option` if options or certificates cannot be used.
  explicit rotating_tls(tls_options options);

  /// Whether `open` calls a function of the program.
  bool calls_program() const noexcept { return source_.calls_provider(); }

  /// Makes the transport of a connection, as `tls_context::open`. Reads the certificates again. If
  /// they cannot be used, logs why, and the certificates before stay in use.
  std::unique_ptr<transport> open(const std::string& address, const std::vector<std::string>& hosts,
                                  logger& log);

 private:
  void refresh(logger& log);
  void read();

  tls_options settings_;
  tls_source source_;
  // The certificates of `context_`.
  tls_material used_;
  // Null until there are usable certificates.
  std::shared_ptr<tls_context> context_;
  std::string refusal_;
};

} // namespace zklock::zookeeper
