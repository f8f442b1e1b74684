#include "zookeeper/openssl/client_certificates.hpp"

#include "zookeeper/openssl/pointers.hpp"
#include "zookeeper/openssl/reason.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

namespace zklock::zookeeper::openssl {

namespace {

// Without a function, OpenSSL would ask for a passphrase on the terminal.
int give_none(char*, int, int, void*) {
  return -1;
}

/// Calls a function for each object of a PEM text that a function of OpenSSL reads. Returns how
/// many there are.
template <class Pointer, class Read, class Function>
int for_each_in(const named_pem& pem, Read read, Function function) {
  ERR_clear_error();
  const auto from =
      allocated(bio_pointer(BIO_new_mem_buf(pem.text.data(), static_cast<int>(pem.text.size()))));
  int found = 0;
  while (const Pointer each{read(from.get(), nullptr, &give_none, nullptr)}) {
    function(each.get());
    ++found;
  }
  const auto code = ERR_peek_last_error();
  if (ERR_GET_LIB(code) != ERR_LIB_PEM || ERR_GET_REASON(code) != PEM_R_NO_START_LINE)
    refuse(pem.name);
  ERR_clear_error();
  return found;
}

/// The authorities of the system. OpenSSL itself would read the files of a folder during a
/// handshake.
named_pem system_authorities() {
  namespace fs = std::filesystem;
  const auto chosen = [](const char* variable, const char* otherwise) {
    const char* const value = ::secure_getenv(variable);
    return fs::path(value ? value : otherwise);
  };
  const auto append = [](std::string& text, const fs::path& file) {
    std::ifstream in(file);
    text.append(std::istreambuf_iterator<char>(in), {}).append("\n");
  };
  std::error_code ignored;
  named_pem found{"tls.authorities, those of the system", {}};
  const auto file = chosen(X509_get_default_cert_file_env(), X509_get_default_cert_file());
  if (fs::is_regular_file(file, ignored)) {
    append(found.text, file);
    return found;
  }
  const auto folder = chosen(X509_get_default_cert_dir_env(), X509_get_default_cert_dir());
  for (fs::directory_iterator each(folder, ignored), end; each != end; each.increment(ignored))
    if (each->is_regular_file(ignored)) append(found.text, each->path());
  return found;
}

struct passphrase_request {
  const std::string& passphrase;
  bool asked = false;
};

int give_passphrase(char* to, int size, int, void* request) {
  auto& [passphrase, asked] = *static_cast<passphrase_request*>(request);
  asked = true;
  if (passphrase.empty() || passphrase.size() > static_cast<std::size_t>(size)) return -1;
  std::memcpy(to, passphrase.data(), passphrase.size());
  return static_cast<int>(passphrase.size());
}

void use_key(SSL_CTX* context, const named_pem& pem, const std::string& passphrase) {
  ERR_clear_error();
  const auto from =
      allocated(bio_pointer(BIO_new_mem_buf(pem.text.data(), static_cast<int>(pem.text.size()))));
  passphrase_request request{passphrase};
  const key_pointer key{PEM_read_bio_PrivateKey(from.get(), nullptr, &give_passphrase, &request)};
  if (!key && request.asked)
    throw tls_refusal(pem.name, passphrase.empty() ? "it is encrypted, and tls.passphrase is empty"
                                                   : "tls.passphrase does not decrypt it");
  if (!key) throw tls_refusal(pem.name, "has no private key");
  // OpenSSL itself accepts a key of another kind beside the certificate.
  if (X509_check_private_key(SSL_CTX_get0_certificate(context), key.get()) != 1)
    throw tls_refusal(pem.name, "is not the key of tls.certificate");
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1) refuse(pem.name);
}

} // namespace

// A list of the user names every certificate that the user trusts, intermediate certificates too.
void trust(SSL_CTX* context, const tls_material& certificates) {
  X509_STORE* const store = SSL_CTX_get_cert_store(context);
  const bool is_given = !certificates.authorities.text.empty();
  const auto authorities = is_given ? certificates.authorities : system_authorities();
  const auto add = [store](X509* each) { X509_STORE_add_cert(store, each); };
  if (for_each_in<certificate_pointer>(authorities, &PEM_read_bio_X509, add) == 0)
    throw tls_refusal(authorities.name, "has no certificate");
  if (is_given) X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
  if (certificates.revoked.text.empty()) return;
  const auto add_list = [store](X509_CRL* each) { X509_STORE_add_crl(store, each); };
  if (for_each_in<revocation_pointer>(certificates.revoked, &PEM_read_bio_X509_CRL, add_list) == 0)
    throw tls_refusal(certificates.revoked.name, "has no list of revoked certificates");
  X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK);
}

void identify(SSL_CTX* context, const tls_material& certificates) {
  const auto& own = certificates.certificate;
  if (own.text.empty()) return;
  int index = 0;
  for_each_in<certificate_pointer>(own, &PEM_read_bio_X509, [&](X509* each) {
    const auto used = index++ == 0 ? SSL_CTX_use_certificate(context, each)
                                   : SSL_CTX_add1_chain_cert(context, each);
    if (used != 1) refuse(own.name);
  });
  if (index == 0) throw tls_refusal(own.name, "has no certificate");
  use_key(context, certificates.key.text.empty() ? own : certificates.key, certificates.passphrase);
}

} // namespace zklock::zookeeper::openssl
