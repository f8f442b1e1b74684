#pragma once

#include <zklock/tls_options.hpp>

#include "zookeeper/tls_material.hpp"

namespace zklock::zookeeper {

/// Where the certificates and keys of a client come from: files, texts, or the program's provider.
class tls_source {
 public:
  /// Throws `tls_refusal` if options contradict each other.
  explicit tls_source(const tls_options& options);

  /// Whether `read` calls the program's provider.
  bool calls_provider() const noexcept { return static_cast<bool>(options_.provider); }

  /// Reads the files, or calls the provider. Throws `tls_refusal`, also where the provider throws.
  tls_material read() const;

 private:
  const tls_options options_;
};

} // namespace zklock::zookeeper
