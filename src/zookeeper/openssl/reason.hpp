#pragma once

#include <string>

namespace zklock::zookeeper::openssl {

/// The first error in OpenSSL's queue of errors of this thread.
std::string reason();

/// Throws `tls_refusal` with the reason.
[[noreturn]] void refuse(const std::string& name);

} // namespace zklock::zookeeper::openssl
