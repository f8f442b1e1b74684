#include "zookeeper/openssl/context.hpp"

#include "support/text_character.hpp"
#include "zookeeper/openssl/client_certificates.hpp"
#include "zookeeper/openssl/reason.hpp"
#include "zookeeper/openssl/records.hpp"
#include "zookeeper/openssl/server_certificate.hpp"
#include "zookeeper/tls_transport.hpp"

#include <openssl/err.h>

#include <string_view>
#include <utility>

namespace zklock::zookeeper {

namespace openssl {

namespace {

// OpenSSL's own handler of the program's exit would free the memory that threads of the library,
// and sessions in static objects, still use.
void initialize() {
  static const bool done = OPENSSL_init_ssl(OPENSSL_INIT_NO_ATEXIT, nullptr) == 1;
  if (!done) throw tls_refusal("tls", "OpenSSL cannot be initialized");
}

template <class Function>
void for_each_name(std::string_view list, Function function) {
  while (!list.empty()) {
    const auto end = list.find(':');
    if (const auto name = list.substr(0, end); !name.empty()) function(std::string(name));
    list.remove_prefix(end == list.npos ? list.size() : end + 1);
  }
}

// OpenSSL accepts a list if it knows any of its ciphers. To exclude an unknown cipher is no fault.
void check_ciphers(const tls_options& settings) {
  if (settings.ciphers.empty() && settings.cipher_suites.empty()) return;
  const auto trial = allocated(context_pointer(SSL_CTX_new(TLS_client_method())));
  for_each_name(settings.ciphers, [&trial](const std::string& name) {
    if (name.starts_with('!') || name.starts_with('-') || name.starts_with('@')) return;
    const auto cipher = name.substr(name.starts_with('+') ? 1 : 0);
    if (SSL_CTX_set_cipher_list(trial.get(), cipher.c_str()) != 1)
      throw tls_refusal("tls.ciphers", "OpenSSL has no cipher \"" + detail::excerpt(name) + '"');
  });
  for_each_name(settings.cipher_suites, [&trial](const std::string& name) {
    if (SSL_CTX_set_ciphersuites(trial.get(), name.c_str()) != 1)
      throw tls_refusal("tls.cipher_suites",
                        "OpenSSL has no cipher suite \"" + detail::excerpt(name) + '"');
  });
}

context_pointer make_context(const tls_options& settings) {
  initialize();
  ERR_clear_error();
  auto context = allocated(context_pointer(SSL_CTX_new(TLS_client_method())));
  auto* const made = context.get();
  const int oldest = settings.min_version == tls_version::v1_3 ? TLS1_3_VERSION : TLS1_2_VERSION;
  if (SSL_CTX_set_min_proto_version(made, oldest) != 1) refuse("tls.min_version");
  SSL_CTX_set_options(made, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(made, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(made, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  check_ciphers(settings);
  if (!settings.ciphers.empty() && SSL_CTX_set_cipher_list(made, settings.ciphers.c_str()) != 1)
    refuse("tls.ciphers");
  if (!settings.cipher_suites.empty() &&
      SSL_CTX_set_ciphersuites(made, settings.cipher_suites.c_str()) != 1)
    refuse("tls.cipher_suites");
  return context;
}

} // namespace

context::context(const tls_options& settings, const tls_material& certificates)
    : context_(make_context(settings)),
      verifies_names_(settings.verify_names),
      server_name_(settings.server_name),
      has_certificate_(!certificates.certificate.text.empty()) {
  trust(get(), certificates);
  identify(get(), certificates);
  SSL_CTX_sess_set_new_cb(get(), &records::keep_session);
}

std::unique_ptr<transport> context::open(const std::string& address,
                                         const std::vector<std::string>& hosts) {
  auto names = server_name_.empty() ? hosts : std::vector{server_name_};
  auto server = address + ' ' + listed(names, " ");
  return std::make_unique<tls_transport>(
      std::make_unique<records>(shared_from_this(), std::move(server), std::move(names)));
}

} // namespace openssl

void tls_context::check(const tls_options& settings) {
  openssl::make_context(settings);
}

std::shared_ptr<tls_context> tls_context::make(const tls_options& settings,
                                               const tls_material& certificates) {
  return std::make_shared<openssl::context>(settings, certificates);
}

} // namespace zklock::zookeeper
