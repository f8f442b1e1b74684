#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <memory>
#include <new>

namespace zklock::zookeeper::openssl {

template <auto Function>
struct deleter {
  template <class Object>
  void operator()(Object* object) const noexcept {
    Function(object);
  }
};
using context_pointer = std::unique_ptr<SSL_CTX, deleter<SSL_CTX_free>>;
using connection_pointer = std::unique_ptr<SSL, deleter<SSL_free>>;
using bio_pointer = std::unique_ptr<BIO, deleter<BIO_free>>;
using certificate_pointer = std::unique_ptr<X509, deleter<X509_free>>;
using revocation_pointer = std::unique_ptr<X509_CRL, deleter<X509_CRL_free>>;
using key_pointer = std::unique_ptr<EVP_PKEY, deleter<EVP_PKEY_free>>;
using session_pointer = std::unique_ptr<SSL_SESSION, deleter<SSL_SESSION_free>>;
using names_pointer = std::unique_ptr<GENERAL_NAMES, deleter<GENERAL_NAMES_free>>;

/// Throws `std::bad_alloc` if OpenSSL has made nothing.
template <class Pointer>
Pointer allocated(Pointer made) {
  if (!made) throw std::bad_alloc();
  return made;
}

} // namespace zklock::zookeeper::openssl
