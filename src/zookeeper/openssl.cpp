// The only source that knows OpenSSL.
#include "support/text_character.hpp"
#include "zookeeper/tls_context.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/system/error_code.hpp>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace zklock::zookeeper {

namespace {

using kind = server_fault::kind;

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

// OpenSSL's own handler of the program's exit would free the memory that threads of the library,
// and sessions in static objects, still use.
void initialize() {
  static const bool done = OPENSSL_init_ssl(OPENSSL_INIT_NO_ATEXIT, nullptr) == 1;
  if (!done) throw tls_refusal("tls", "OpenSSL cannot be initialized");
}

/// The reason in the queue of errors, which has the first error at its beginning.
std::string reason() {
  const auto code = ERR_peek_error();
  const char* const text = code ? ERR_reason_error_string(code) : nullptr;
  return text ? text : "OpenSSL gives no reason";
}

[[noreturn]] void refuse(const std::string& name) {
  throw tls_refusal(name, reason());
}

template <class Pointer>
Pointer allocated(Pointer made) {
  if (!made) throw std::bad_alloc();
  return made;
}

// Names.

/// The address in a host of the server list; nothing if the host is a name.
std::optional<boost::asio::ip::address> address_of(const std::string& host) {
  boost::system::error_code is_name;
  const auto address = boost::asio::ip::make_address(host, is_name);
  if (is_name) return std::nullopt;
  return address;
}

/// A name without the dot that makes it absolute: certificates have no such dot.
std::string without_dot(std::string host) {
  if (host.ends_with('.')) host.pop_back();
  return host;
}

bool is_for(X509* certificate, const std::string& host) {
  if (const auto address = address_of(host)) {
    const auto matches = [certificate](const auto& bytes) {
      return X509_check_ip(certificate, bytes.data(), bytes.size(), 0) == 1;
    };
    return address->is_v4() ? matches(address->to_v4().to_bytes())
                            : matches(address->to_v6().to_bytes());
  }
  constexpr unsigned flags =
      X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS;
  const auto name = without_dot(host);
  return X509_check_host(certificate, name.data(), name.size(), flags, nullptr) == 1;
}

template <class Bytes>
Bytes copied(Bytes bytes, const unsigned char* from) {
  std::copy_n(from, bytes.size(), bytes.begin());
  return bytes;
}

std::string text_of(const GENERAL_NAME& name) {
  int type = 0;
  const auto* const value = static_cast<const ASN1_STRING*>(GENERAL_NAME_get0_value(&name, &type));
  if (type != GEN_DNS && type != GEN_IPADD) return {};
  const auto size = static_cast<std::size_t>(ASN1_STRING_length(value));
  const auto* const data = ASN1_STRING_get0_data(value);
  if (type == GEN_DNS) return detail::excerpt({reinterpret_cast<const char*>(data), size});
  if (const auto bytes = boost::asio::ip::address_v4::bytes_type{}; size == bytes.size())
    return boost::asio::ip::address_v4(copied(bytes, data)).to_string();
  if (const auto bytes = boost::asio::ip::address_v6::bytes_type{}; size == bytes.size())
    return boost::asio::ip::address_v6(copied(bytes, data)).to_string();
  return {};
}

std::string listed(const std::vector<std::string>& names, const char* last) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text.append(i == 0 ? "" : i + 1 == names.size() ? last : ", ").append(names[i]);
  return text;
}

/// The names and addresses in the subjectAltName of a certificate.
std::string names_of(X509* certificate) {
  constexpr std::size_t most = 8;
  std::vector<std::string> names;
  const names_pointer all{static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr))};
  const int count = all ? sk_GENERAL_NAME_num(all.get()) : 0;
  for (int i = 0; i < count && names.size() <= most; ++i)
    if (auto text = text_of(*sk_GENERAL_NAME_value(all.get(), i)); !text.empty())
      names.push_back(std::move(text));
  if (names.empty()) return "no name, since it has no subjectAltName";
  if (names.size() > most) names.back() = "more";
  return listed(names, " and ");
}

std::string text_of(const X509_NAME* name) {
  const auto to = allocated(bio_pointer(BIO_new(BIO_s_mem())));
  X509_NAME_print_ex(to.get(), name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB);
  char* data = nullptr;
  const auto size = BIO_get_mem_data(to.get(), &data);
  return detail::printable({data, std::min(static_cast<std::size_t>(size), std::size_t{200})});
}

std::chrono::system_clock::time_point time_of(const ASN1_TIME* time) {
  std::tm parts{};
  ASN1_TIME_to_tm(time, &parts);
  return std::chrono::system_clock::from_time_t(::timegm(&parts));
}

std::string text_of(const ASN1_TIME* time) {
  std::tm parts{};
  char text[32];
  if (ASN1_TIME_to_tm(time, &parts) != 1) return "an unknown time";
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts)};
}

// Certificates and keys.

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

// Settings.

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

/// The TLS sessions that can be resumed, by server. Any thread.
class resumable_sessions {
 public:
  void keep(const std::string& server, SSL_SESSION* session) {
    session_pointer taken(session);
    const std::lock_guard lock(mutex_);
    if (sessions_.size() >= most) sessions_.clear();
    sessions_[server] = std::move(taken);
  }

  void resume(SSL* connection, const std::string& server) {
    const std::lock_guard lock(mutex_);
    if (const auto found = sessions_.find(server); found != sessions_.end())
      SSL_set_session(connection, found->second.get());
  }

  void forget(const std::string& server) {
    const std::lock_guard lock(mutex_);
    sessions_.erase(server);
  }

 private:
  // The list of servers can be replaced any number of times.
  static constexpr std::size_t most = 64;

  std::mutex mutex_;
  std::map<std::string, session_pointer> sessions_;
};

class openssl_context final : public tls_context,
                              public std::enable_shared_from_this<openssl_context> {
 public:
  openssl_context(const tls_options& settings, const tls_material& certificates);

  std::unique_ptr<transport> open(const std::string& address,
                                  const std::vector<std::string>& hosts) override;

  SSL_CTX* get() const noexcept { return context_.get(); }
  resumable_sessions& sessions() noexcept { return sessions_; }
  bool verifies_names() const noexcept { return verifies_names_; }
  bool has_certificate() const noexcept { return has_certificate_; }

 private:
  const context_pointer context_;
  const bool verifies_names_;
  const std::string server_name_;
  const bool has_certificate_;
  resumable_sessions sessions_;
};

/// The reason for which a certificate of a server is refused.
std::string refusal_of(const X509* certificate, int error) {
  switch (certificate ? error : X509_V_ERR_UNSPECIFIED) {
  case X509_V_ERR_CERT_HAS_EXPIRED:
    return "its certificate has expired: " + text_of(X509_get_subject_name(certificate)) +
           " was valid until " + text_of(X509_get0_notAfter(certificate));
  case X509_V_ERR_CERT_NOT_YET_VALID:
    return "its certificate is not valid yet: " + text_of(X509_get_subject_name(certificate)) +
           " is valid from " + text_of(X509_get0_notBefore(certificate)) + " on";
  case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
  case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
  case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
  case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
  case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    return "the authority of its certificate is unknown to the client: " +
           text_of(X509_get_issuer_name(certificate));
  case X509_V_ERR_CERT_REVOKED:
    return "its certificate is revoked: " + text_of(X509_get_subject_name(certificate));
  default:
    return std::string("its certificate is refused: ") + X509_verify_cert_error_string(error);
  }
}

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

/// TLS of a connection. OpenSSL reads and writes buffers in memory only.
class openssl_transport final : public transport {
 public:
  openssl_transport(std::shared_ptr<openssl_context> context, std::string server,
                    std::vector<std::string> hosts)
      : context_(std::move(context)),
        server_(std::move(server)),
        hosts_(std::move(hosts)),
        connection_(allocated(connection_pointer(SSL_new(context_->get())))),
        to_send_(BIO_new(BIO_s_mem())) {
    auto* const connection = connection_.get();
    // The connection owns both.
    SSL_set0_wbio(connection, allocated(to_send_));
    SSL_set0_rbio(connection, allocated(BIO_new(BIO_s_mem())));
    SSL_set_connect_state(connection);
    SSL_set_app_data(connection, this);
    SSL_set_verify(connection, SSL_VERIFY_PEER, &openssl_transport::verify);
    SSL_set_cert_cb(connection, &openssl_transport::note_request, this);
    // RFC 6066: an address is no name of a server.
    const auto name = std::find_if(hosts_.begin(), hosts_.end(),
                                   [](const auto& host) { return !address_of(host); });
    if (name != hosts_.end()) SSL_set_tlsext_host_name(connection, without_dot(*name).c_str());
    context_->sessions().resume(connection, server_);
  }

  ~openssl_transport() override {
    // OpenSSL resumes no session whose connection has ended without this.
    if (phase_ >= phase::shaken && !fault_)
      SSL_set_shutdown(connection_.get(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
  }

  static int keep_session(SSL* connection, SSL_SESSION* session) noexcept {
    auto& self = *static_cast<openssl_transport*>(SSL_get_app_data(connection));
    self.context_->sessions().keep(self.server_, session);
    return 1;
  }

  progress shake_hands(int socket) noexcept override {
    for (int reads = 0; phase_ < phase::shaken; ++reads) {
      const int result = call(socket, [this] { return SSL_do_handshake(connection_.get()); });
      if (fault_) return progress::failed;
      if (result == 1) {
        phase_ = phase::shaken;
        write_staged(socket);
        break;
      }
      if (reads == reads_at_once) return progress::pending;
      const auto size = read(socket);
      if (size < 0 && is_pending(errno)) return progress::pending;
      if (size <= 0) fail(ended_in_handshake(size < 0 ? errno : 0));
    }
    return fault_ ? progress::failed : progress::done;
  }

  ssize_t send(int socket, const void* data, std::size_t size, bool more) noexcept override {
    if (phase_ >= phase::shaken) {
      flush(socket);
      if (wants_to_write()) {
        errno = EAGAIN;
        return -1;
      }
    }
    staged_.append(static_cast<const char*>(data), size);
    if (phase_ >= phase::shaken && !more) write_staged(socket);
    if (!fault_) return static_cast<ssize_t>(size);
    errno = EPROTO;
    return -1;
  }

  ssize_t receive(int socket, std::span<char> to) noexcept override {
    for (int reads = 0; !fault_ && phase_ >= phase::shaken; ++reads) {
      std::size_t size = 0;
      const int result =
          call(socket, [&] { return SSL_read_ex(connection_.get(), to.data(), to.size(), &size); });
      if (result == 1) {
        phase_ = phase::used;
        return static_cast<ssize_t>(size);
      }
      if (phase_ == phase::ended) return 0;
      if (fault_ || reads == reads_at_once) break;
      if (const auto arrived = read(socket); arrived <= 0) return arrived;
    }
    errno = fault_ ? EPROTO : EAGAIN;
    return -1;
  }

  void flush(int socket) noexcept override {
    char* data = nullptr;
    while (const auto size = static_cast<std::size_t>(BIO_get_mem_data(to_send_, &data))) {
      const auto sent = ::send(socket, data, size, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0) return failed_to_send(errno);
      if (static_cast<std::size_t>(sent) == size)
        BIO_reset(to_send_);
      else
        drop_sent(static_cast<std::size_t>(sent));
    }
  }

  bool wants_to_write() const noexcept override { return BIO_ctrl_pending(to_send_) != 0; }

  // SSL_get_error() would take a sent end for a failure.
  void end(int socket) noexcept override {
    if (phase_ < phase::shaken || fault_) return;
    SSL_shutdown(connection_.get());
    ERR_clear_error();
    flush(socket);
  }

  std::optional<tls_stats> tls() const override {
    const X509* const theirs = SSL_get0_peer_certificate(connection_.get());
    if (phase_ < phase::shaken || !theirs) return std::nullopt;
    tls_stats made{.version = SSL_get_version(connection_.get()),
                   .cipher = SSL_get_cipher_name(connection_.get()),
                   .server_expiry = time_of(X509_get0_notAfter(theirs))};
    if (const X509* const own = SSL_get_certificate(connection_.get()))
      made.client_expiry = time_of(X509_get0_notAfter(own));
    return made;
  }

  const std::optional<server_fault>& fault() const noexcept override { return fault_; }

 private:
  /// The progress of a connection. `answered`: bytes have arrived. `used`: a part of a message has
  /// arrived. `ended`: the server has told that nothing follows.
  enum class phase { silent, answered, shaken, used, ended };

  // Bounds a call, so that other handlers run in between. The socket announces the rest.
  static constexpr int reads_at_once = 4;

  static bool is_pending(int error) noexcept { return error == EAGAIN || error == EWOULDBLOCK; }

  // A resumed session is not verified again.
  static int verify(int is_valid, X509_STORE_CTX* store) noexcept {
    auto* const connection =
        static_cast<SSL*>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
    auto& self = *static_cast<openssl_transport*>(SSL_get_app_data(connection));
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

  bool is_wanted(X509* certificate) const {
    return !context_->verifies_names() ||
           std::any_of(hosts_.begin(), hosts_.end(),
                       [certificate](const auto& host) { return is_for(certificate, host); });
  }

  static int note_request(SSL*, void* self) noexcept {
    static_cast<openssl_transport*>(self)->is_asked_ = true;
    return 1;
  }

  /// Calls a function of OpenSSL, and sends the bytes that it has left. Returns its result.
  template <class Function>
  int call(int socket, Function function) noexcept {
    // The queue of errors belongs to the thread: the program may have left errors in it.
    ERR_clear_error();
    const int result = function();
    const int how = result > 0 ? SSL_ERROR_NONE : SSL_get_error(connection_.get(), result);
    if (how == SSL_ERROR_ZERO_RETURN && phase_ >= phase::shaken) phase_ = phase::ended;
    if (how == SSL_ERROR_SSL || how == SSL_ERROR_SYSCALL) fail(explain());
    ERR_clear_error();
    flush(socket);
    return result;
  }

  /// Reads from the socket, as recv().
  ssize_t read(int socket) noexcept {
    // A record with its overhead.
    std::array<char, 17 * 1024> piece;
    const auto size = ::recv(socket, piece.data(), piece.size(), MSG_DONTWAIT);
    if (size <= 0) return size;
    phase_ = std::max(phase_, phase::answered);
    BIO* const received = SSL_get_rbio(connection_.get());
    if (BIO_write(received, piece.data(), static_cast<int>(size)) == size) return size;
    fail({kind::broken, "there is no memory for its bytes"});
    errno = EPROTO;
    return -1;
  }

  // The buffer takes all bytes.
  void write_staged(int socket) noexcept {
    if (staged_.empty()) return;
    std::size_t written = 0;
    call(socket,
         [&] { return SSL_write_ex(connection_.get(), staged_.data(), staged_.size(), &written); });
    if (written != staged_.size()) fail({kind::broken, "TLS has not taken a request"});
    staged_.clear();
  }

  // The bytes stay: while they wait to be written, the connection looks at the socket. If the
  // server has ended the connection, the next read tells why.
  void failed_to_send(int error) noexcept {
    if (is_pending(error) || error == EPIPE || error == ECONNRESET) return;
    fail({kind::broken, "sending to it failed: " + std::generic_category().message(error)});
  }

  void drop_sent(std::size_t size) noexcept {
    std::array<char, 4096> dropped;
    while (size > 0) {
      const auto some = std::min(size, dropped.size());
      BIO_read(to_send_, dropped.data(), static_cast<int>(some));
      size -= some;
    }
  }

  void fail(server_fault why) noexcept {
    if (!fault_) fault_ = std::move(why);
    context_->sessions().forget(server_);
  }

  server_fault explain() const {
    if (!refusal_.empty()) return {kind::certificate_refused, refusal_};
    if (phase_ >= phase::used) return {kind::broken, "TLS with it has failed: " + reason()};
    const auto code = ERR_peek_error();
    const int number = ERR_GET_LIB(code) == ERR_LIB_SSL ? ERR_GET_REASON(code) : 0;
    // In TLS 1.3, a server refuses the certificate of a client after the client's handshake.
    if (number > SSL_AD_REASON_OFFSET)
      return fault_of_alert(number - SSL_AD_REASON_OFFSET, is_asked_, context_->has_certificate());
    return fault_of_handshake(number);
  }

  /// The fault of a server that has closed the connection during the handshake. `error`: the error
  /// of the socket, or 0.
  server_fault ended_in_handshake(int error) const {
    const std::string how = error == 0 ? "" : ": " + std::generic_category().message(error);
    if (phase_ != phase::silent)
      return {kind::broken, "it closed the connection in the TLS handshake" + how};
    return {kind::tls_failed, "it closed the connection instead of a TLS handshake" + how +
                                  "; is this the port of its secureClientPort?"};
  }

  const std::shared_ptr<openssl_context> context_;
  // The key of resumable sessions.
  const std::string server_;
  // The certificate must be for one of these names and addresses.
  const std::vector<std::string> hosts_;
  const connection_pointer connection_;
  BIO* const to_send_;
  // Bytes for the next record.
  std::string staged_;
  std::string refusal_;
  std::optional<server_fault> fault_;
  phase phase_ = phase::silent;
  bool is_asked_ = false;
};

openssl_context::openssl_context(const tls_options& settings, const tls_material& certificates)
    : context_(make_context(settings)),
      verifies_names_(settings.verify_names),
      server_name_(settings.server_name),
      has_certificate_(!certificates.certificate.text.empty()) {
  trust(context_.get(), certificates);
  identify(context_.get(), certificates);
  SSL_CTX_sess_set_new_cb(context_.get(), &openssl_transport::keep_session);
}

std::unique_ptr<transport> openssl_context::open(const std::string& address,
                                                 const std::vector<std::string>& hosts) {
  auto names = server_name_.empty() ? hosts : std::vector{server_name_};
  auto server = address + ' ' + listed(names, " ");
  return std::make_unique<openssl_transport>(shared_from_this(), std::move(server),
                                             std::move(names));
}

} // namespace

void tls_context::check(const tls_options& settings) {
  make_context(settings);
}

std::shared_ptr<tls_context> tls_context::make(const tls_options& settings,
                                               const tls_material& certificates) {
  return std::make_shared<openssl_context>(settings, certificates);
}

} // namespace zklock::zookeeper
