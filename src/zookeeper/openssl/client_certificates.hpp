#pragma once

#include "zookeeper/tls_material.hpp"

#include <openssl/ssl.h>

namespace zklock::zookeeper::openssl {

/// Has a context trust the authorities, and no revoked certificate. Throws `tls_refusal`.
void trust(SSL_CTX* context, const tls_material& certificates);

/// Gives a context the certificate and the key of the client, if there are any. Throws
/// `tls_refusal`.
void identify(SSL_CTX* context, const tls_material& certificates);

} // namespace zklock::zookeeper::openssl
