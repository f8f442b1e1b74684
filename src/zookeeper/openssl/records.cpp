#include "zookeeper/openssl/records.hpp"

#include "support/text_character.hpp"
#include "zookeeper/openssl/reason.hpp"
#include "zookeeper/openssl/server_certificate.hpp"

#include <openssl/err.h>

#include <algorithm>
#include <array>
#include <utility>

namespace zklock::zookeeper::openssl {

namespace {

using kind = server_fault::kind;

/// The fault of a server that has sent an alert. `asked`: whether the server has asked for a
/// certificate of the client.
server_fault fault_of_alert(int alert, bool asked, bool has_certificate) {
  const std::string name = SSL_alert_desc_string_long(alert);
  switch (alert) {
  case SSL_AD_BAD_CERTIFICATE:
  case SSL_AD_UNSUPPORTED_CERTIFICATE:
  case SSL_AD_CERTIFICATE_REVOKED:
  case SSL_AD_CERTIFICATE_EXPIRED:
  case SSL_AD_CERTIFICATE_UNKNOWN:
  case SSL_AD_UNKNOWN_CA:
  case SSL_AD_ACCESS_DENIED:
  case TLS13_AD_CERTIFICATE_REQUIRED:
    if (!asked) break;
    return {kind::certificate_demanded, has_certificate
                                            ? "it refuses the certificate of the client: " + name
                                            : "it demands a certificate of the client: " + name};
  case SSL_AD_HANDSHAKE_FAILURE:
    // Java's refusal of a client without a certificate, in TLS 1.2.
    if (asked && !has_certificate)
      return {kind::certificate_demanded, "it demands a certificate of the client: " + name};
    return {kind::tls_failed, "it accepts none of the client's ciphers: " + name};
  case SSL_AD_PROTOCOL_VERSION:
    return {kind::tls_failed, "it accepts none of the client's versions of TLS: " + name};
  default:
    break;
  }
  return {kind::tls_failed, "it has ended TLS: " + name};
}

server_fault fault_of_handshake(int code) {
  switch (code) {
  case SSL_R_WRONG_VERSION_NUMBER:
  case SSL_R_UNEXPECTED_MESSAGE:
  case SSL_R_PACKET_LENGTH_TOO_LONG:
  case SSL_R_BAD_RECORD_TYPE:
    return {kind::tls_failed, "it does not speak TLS at this port"};
  case SSL_R_UNSUPPORTED_PROTOCOL:
  case SSL_R_WRONG_SSL_VERSION:
    return {kind::tls_failed, "it speaks no version of TLS that tls.min_version permits"};
  default:
    return {kind::tls_failed, "TLS with it has failed: " + reason()};
  }
}

records& of(const SSL* connection) noexcept {
  return *static_cast<records*>(SSL_get_app_data(connection));
}

} // namespace

records::records(std::shared_ptr<context> made_by, std::string server,
                 std::vector<std::string> hosts)
    : context_(std::move(made_by)),
      server_(std::move(server)),
      hosts_(std::move(hosts)),
      connection_(allocated(connection_pointer(SSL_new(context_->get())))),
      received_(BIO_new(BIO_s_mem())),
      to_send_(BIO_new(BIO_s_mem())) {
  auto* const connection = connection_.get();
  SSL_set0_rbio(connection, allocated(received_));
  SSL_set0_wbio(connection, allocated(to_send_));
  SSL_set_connect_state(connection);
  SSL_set_app_data(connection, this);
  SSL_set_verify(connection, SSL_VERIFY_PEER, &records::verify);
  SSL_set_cert_cb(connection, &records::note_request, this);
  // RFC 6066: an address is no name of a server.
  for (const auto& host : hosts_)
    if (const auto name = name_of_host(host); !name.empty()) {
      SSL_set_tlsext_host_name(connection, name.c_str());
      break;
    }
  context_->sessions().resume(connection, server_);
}

// OpenSSL resumes no session whose connection has ended without SSL_set_shutdown.
records::~records() {
  if (fault())
    context_->sessions().forget(server_);
  else if (phase_ >= phase::shaken)
    SSL_set_shutdown(connection_.get(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
}

int records::keep_session(SSL* connection, SSL_SESSION* session) noexcept {
  const auto& self = of(connection);
  self.context_->sessions().keep(self.server_, session);
  return 1;
}

bool records::shake_hands() noexcept {
  if (call([this] { return SSL_do_handshake(connection_.get()); }) != 1) return false;
  phase_ = phase::shaken;
  keep_renewed_session();
  return true;
}

void records::take(std::span<const char> bytes) noexcept {
  const auto size = static_cast<int>(bytes.size());
  if (BIO_write(received_, bytes.data(), size) != size)
    fail({kind::broken, "there is no memory for its bytes"});
}

std::size_t records::read(std::span<char> to) noexcept {
  std::size_t size = 0;
  const auto decrypt = [&] { return SSL_read_ex(connection_.get(), to.data(), to.size(), &size); };
  if (call(decrypt) != 1) return 0;
  phase_ = phase::used;
  return size;
}

// The buffer takes all bytes.
void records::write(std::string_view text) noexcept {
  std::size_t written = 0;
  call([&] { return SSL_write_ex(connection_.get(), text.data(), text.size(), &written); });
  if (written != text.size()) fail({kind::broken, "TLS has not taken a request"});
}

// SSL_get_error() would take a sent end for a failure.
void records::end() noexcept {
  SSL_shutdown(connection_.get());
  ERR_clear_error();
}

std::string_view records::to_send() const noexcept {
  char* data = nullptr;
  const auto size = BIO_get_mem_data(to_send_, &data);
  return {data, static_cast<std::size_t>(size)};
}

void records::sent(std::size_t size) noexcept {
  if (size == to_send().size()) {
    BIO_reset(to_send_);
    return;
  }
  std::array<char, 4096> dropped;
  while (size > 0) {
    const auto some = std::min(size, dropped.size());
    BIO_read(to_send_, dropped.data(), static_cast<int>(some));
    size -= some;
  }
}

std::optional<tls_stats> records::tls() const {
  const X509* const theirs = SSL_get0_peer_certificate(connection_.get());
  if (!theirs) return std::nullopt;
  tls_stats made{.version = SSL_get_version(connection_.get()),
                 .cipher = SSL_get_cipher_name(connection_.get()),
                 .server_expiry = time_of(X509_get0_notAfter(theirs))};
  if (const X509* const own = SSL_get_certificate(connection_.get()))
    made.client_expiry = time_of(X509_get0_notAfter(own));
  return made;
}

// A resumed session is not verified again.
int records::verify(int is_valid, X509_STORE_CTX* store) noexcept {
  auto& self = of(
      static_cast<SSL*>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx())));
  X509* const certificate = X509_STORE_CTX_get_current_cert(store);
  if (!is_valid) {
    self.refusal_ = refusal_of(certificate, X509_STORE_CTX_get_error(store));
    return 0;
  }
  if (X509_STORE_CTX_get_error_depth(store) != 0 || self.is_wanted(certificate)) return 1;
  X509_STORE_CTX_set_error(store, X509_V_ERR_HOSTNAME_MISMATCH);
  self.refusal_ = "its certificate is for " + names_of(certificate) + ", not for " +
                  detail::printable(listed(self.hosts_, " or "));
  return 0;
}

int records::note_request(SSL*, void* self) noexcept {
  static_cast<records*>(self)->is_asked_ = true;
  return 1;
}

// A server of TLS 1.2 may replace the ticket of a session that it resumes. OpenSSL resumes the
// session with the old ticket no more, and does not announce the session with the new ticket.
void records::keep_renewed_session() {
  auto* const connection = connection_.get();
  if (SSL_session_reused(connection) == 1 && SSL_version(connection) < TLS1_3_VERSION)
    context_->sessions().keep(server_, SSL_get1_session(connection));
}

bool records::is_wanted(X509* certificate) const {
  return !context_->verifies_names() ||
         std::any_of(hosts_.begin(), hosts_.end(),
                     [certificate](const auto& host) { return is_for(certificate, host); });
}

/// Calls a function of OpenSSL, and returns its result.
template <class Function>
int records::call(Function function) noexcept {
  // The queue of errors belongs to the thread: the program may have left errors in it.
  ERR_clear_error();
  const int result = function();
  const int how = result > 0 ? SSL_ERROR_NONE : SSL_get_error(connection_.get(), result);
  if (how == SSL_ERROR_ZERO_RETURN && phase_ >= phase::shaken) phase_ = phase::ended;
  if (how == SSL_ERROR_SSL || how == SSL_ERROR_SYSCALL) fail(explain());
  ERR_clear_error();
  return result;
}

server_fault records::explain() const {
  if (!refusal_.empty()) return {kind::certificate_refused, refusal_};
  if (phase_ >= phase::used) return {kind::broken, "TLS with it has failed: " + reason()};
  const auto code = ERR_peek_error();
  const int number = ERR_GET_LIB(code) == ERR_LIB_SSL ? ERR_GET_REASON(code) : 0;
  // In TLS 1.3, a server refuses the certificate of a client after the client's handshake.
  if (number > SSL_AD_REASON_OFFSET)
    return fault_of_alert(number - SSL_AD_REASON_OFFSET, is_asked_, context_->has_certificate());
  return fault_of_handshake(number);
}

} // namespace zklock::zookeeper::openssl
