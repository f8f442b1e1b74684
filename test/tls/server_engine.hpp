#pragma once

#include "secure.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::test {

/// The settings of the servers' side of TLS.
struct engine_options {
  int version = TLS1_3_VERSION;
  std::string certificate = server_certificate().both;
};

/// The servers' side of TLS, which several connections share.
class server_context {
 public:
  explicit server_context(const engine_options& options = {})
      : context_(SSL_CTX_new(TLS_server_method())) {
    SSL_CTX_set_min_proto_version(context_.get(), options.version);
    SSL_CTX_set_max_proto_version(context_.get(), options.version);
    SSL_CTX_set_session_id_context(context_.get(), reinterpret_cast<const unsigned char*>("z"), 1);
    if (SSL_CTX_use_certificate_chain_file(context_.get(), options.certificate.c_str()) != 1 ||
        SSL_CTX_use_PrivateKey_file(context_.get(), options.certificate.c_str(),
                                    SSL_FILETYPE_PEM) != 1)
      throw std::runtime_error("the certificate of the server cannot be used");
  }

  SSL_CTX* get() const { return context_.get(); }

 private:
  struct deleter {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };
  std::unique_ptr<SSL_CTX, deleter> context_;
};

/// The server's side of a connection with TLS, without a socket.
class server_engine {
 public:
  explicit server_engine(const server_context& context) : connection_(SSL_new(context.get())) {
    SSL_set_bio(connection_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_accept_state(connection_.get());
  }

  SSL* get() const { return connection_.get(); }
  bool is_shaken() const { return SSL_is_init_finished(connection_.get()) == 1; }
  bool is_resumed() const { return SSL_session_reused(connection_.get()) == 1; }
  /// Whether the client has told that nothing follows.
  bool is_ended() const {
    return (SSL_get_shutdown(connection_.get()) & SSL_RECEIVED_SHUTDOWN) != 0;
  }
  bool has_failed() const { return has_failed_; }

  /// Takes bytes of the client, and returns the plain text in them.
  std::string receive(std::string_view bytes) {
    BIO_write(SSL_get_rbio(connection_.get()), bytes.data(), static_cast<int>(bytes.size()));
    std::string plain;
    char piece[16 * 1024];
    for (;;) {
      ERR_clear_error();
      const int size = SSL_read(connection_.get(), piece, sizeof piece);
      if (size > 0) {
        plain.append(piece, static_cast<std::size_t>(size));
        continue;
      }
      has_failed_ |= SSL_get_error(connection_.get(), size) == SSL_ERROR_SSL;
      return plain;
    }
  }

  /// Encrypts text in records of at most this size.
  void send(std::string_view plain, std::size_t record = 16 * 1024) {
    for (; !plain.empty(); plain.remove_prefix(std::min(record, plain.size())))
      SSL_write(connection_.get(), plain.data(), static_cast<int>(std::min(record, plain.size())));
  }

  /// Removes and returns the bytes for the client.
  std::string take() {
    BIO* const from = SSL_get_wbio(connection_.get());
    std::string bytes(BIO_ctrl_pending(from), '\0');
    if (!bytes.empty()) BIO_read(from, bytes.data(), static_cast<int>(bytes.size()));
    return bytes;
  }

 private:
  struct deleter {
    void operator()(SSL* connection) const { SSL_free(connection); }
  };
  std::unique_ptr<SSL, deleter> connection_;
  bool has_failed_ = false;
};

} // namespace zklock::test
