#pragma once

#include <stdexcept>
#include <string>

namespace zklock::zookeeper {

/// PEM text, and the name of its source for messages: `tls.key`, or `tls.key "/etc/key.pem"`.
struct named_pem {
  std::string name;
  std::string text;

  bool operator==(const named_pem&) const = default;
};

/// The certificates and keys of a client, as they were read.
struct tls_material {
  named_pem authorities;
  named_pem certificate;
  named_pem key;
  std::string passphrase;
  named_pem revoked;

  bool operator==(const tls_material&) const = default;
};

/// An option of TLS, or a certificate or key, cannot be used.
class tls_refusal : public std::runtime_error {
 public:
  /// `name`: the option, with its file or value.
  tls_refusal(const std::string& name, const std::string& why)
      : std::runtime_error("invalid " + name + ": " + why) {}
};

} // namespace zklock::zookeeper
