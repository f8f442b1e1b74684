#pragma once

#include <zklock/stats.hpp>

#include "zookeeper/server_fault.hpp"

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <span>

namespace zklock::zookeeper {

/// The way of a connection's bytes between the C client and its socket: plain, or by TLS.
///
/// No function blocks. The socket is an argument of each call, since the C client closes its
/// descriptor at any time.
class transport {
 public:
  enum class progress { done, pending, failed };

  transport() = default;
  transport(const transport&) = delete;
  transport& operator=(const transport&) = delete;
  virtual ~transport() = default;

  /// Continues the handshake on a connected socket. Nothing is received before it is done.
  virtual progress shake_hands(int socket) noexcept = 0;

  /// As send(), and sets errno. May keep bytes: with `more` until the next call, before the end of
  /// the handshake until then, and otherwise while `wants_to_write`.
  virtual ssize_t send(int socket, const void* data, std::size_t size, bool more) noexcept = 0;

  /// As recv(), and sets errno. May send.
  virtual ssize_t receive(int socket, std::span<char> to) noexcept = 0;

  /// Whether the last call of `receive` has returned bytes, and all that had arrived.
  virtual bool is_drained() const noexcept { return false; }

  /// Sends kept bytes. The next call of `receive` tells whether the connection is lost.
  virtual void flush(int) noexcept {}

  /// Whether bytes wait until the socket is writable.
  virtual bool wants_to_write() const noexcept { return false; }

  /// Tells the server that nothing follows.
  virtual void end(int) noexcept {}

  /// The TLS of a connection whose handshake is done; nothing without TLS.
  virtual std::optional<tls_stats> tls() const { return std::nullopt; }

  /// Why the transport has failed; nothing if it has not.
  virtual const std::optional<server_fault>& fault() const noexcept = 0;
};

} // namespace zklock::zookeeper
