#pragma once

#include "zookeeper/openssl/context.hpp"
#include "zookeeper/openssl/pointers.hpp"
#include "zookeeper/record_layer.hpp"

#include <memory>
#include <string>
#include <vector>

namespace zklock::zookeeper::openssl {

/// The TLS of a connection by OpenSSL, which reads and writes buffers in memory only.
class records final : public record_layer {
 public:
  /// `server`: the key of the server's resumable session. The certificate of the server must be for
  /// a host in `hosts`.
  records(std::shared_ptr<context> made_by, std::string server, std::vector<std::string> hosts);
  ~records() override;

  /// OpenSSL's callback: a session can be resumed.
  static int keep_session(SSL* connection, SSL_SESSION* session) noexcept;

  bool shake_hands() noexcept override;
  void take(std::span<const char> bytes) noexcept override;
  std::size_t read(std::span<char> to) noexcept override;
  void write(std::string_view text) noexcept override;
  void end() noexcept override;
  bool has_ended() const noexcept override { return phase_ == phase::ended; }
  std::string_view to_send() const noexcept override;
  void sent(std::size_t size) noexcept override;
  std::optional<tls_stats> tls() const override;

 private:
  /// `used`: a part of a message has arrived. `ended`: the server has told that nothing follows.
  enum class phase { shaking, shaken, used, ended };

  static int verify(int is_valid, X509_STORE_CTX* store) noexcept;
  static int note_request(SSL* connection, void* self) noexcept;
  void keep_renewed_session();
  bool is_wanted(X509* certificate) const;
  template <class Function>
  int call(Function function) noexcept;
  server_fault explain() const;

  const std::shared_ptr<context> context_;
  const std::string server_;
  const std::vector<std::string> hosts_;
  const connection_pointer connection_;
  // The connection owns both.
  BIO* const received_;
  BIO* const to_send_;
  std::string refusal_;
  phase phase_ = phase::shaking;
  // Whether the server has asked for a certificate of the client.
  bool is_asked_ = false;
};

} // namespace zklock::zookeeper::openssl
