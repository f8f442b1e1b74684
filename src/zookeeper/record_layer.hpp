#pragma once

#include <zklock/stats.hpp>

#include "zookeeper/server_fault.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace zklock::zookeeper {

/// The client's side of TLS in memory: it knows no socket. After each call, `to_send` has the bytes
/// for the server.
class record_layer {
 public:
  record_layer() = default;
  record_layer(const record_layer&) = delete;
  record_layer& operator=(const record_layer&) = delete;
  virtual ~record_layer() = default;

  /// Continues the handshake. Returns whether it is done.
  virtual bool shake_hands() noexcept = 0;

  /// Takes bytes of the server.
  virtual void take(std::span<const char> bytes) noexcept = 0;

  /// Decrypts taken bytes. Returns the number of bytes in `to`; 0 if more bytes have to be taken
  /// before.
  virtual std::size_t read(std::span<char> to) noexcept = 0;

  /// Encrypts a text.
  virtual void write(std::string_view text) noexcept = 0;

  /// Tells the server that nothing follows.
  virtual void end() noexcept = 0;

  /// Whether the server has told that nothing follows, and all bytes before are read.
  virtual bool has_ended() const noexcept = 0;

  /// The bytes for the server.
  virtual std::string_view to_send() const noexcept = 0;

  /// The first `size` bytes of `to_send` are sent.
  virtual void sent(std::size_t size) noexcept = 0;

  /// The TLS of a connection whose handshake is done.
  virtual std::optional<tls_stats> tls() const = 0;

  /// The first fault of the connection.
  const std::optional<server_fault>& fault() const noexcept { return fault_; }

  void fail(server_fault why) noexcept {
    if (!fault_) fault_ = std::move(why);
  }

 private:
  std::optional<server_fault> fault_;
};

} // namespace zklock::zookeeper
