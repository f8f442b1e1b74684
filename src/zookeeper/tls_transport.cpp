#include "zookeeper/tls_transport.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace zklock::zookeeper {

namespace {

using kind = server_fault::kind;

// Bounds a call, so that other handlers run in between. The socket announces the rest.
constexpr int reads_at_once = 4;

bool is_pending(int error) noexcept {
  return error == EAGAIN || error == EWOULDBLOCK;
}

std::string text_of(int error) {
  return ": " + std::generic_category().message(error);
}

} // namespace

tls_transport::tls_transport(std::unique_ptr<record_layer> records) noexcept
    : records_(std::move(records)) {}

transport::progress tls_transport::shake_hands(int socket) noexcept {
  for (int reads = 0; !is_shaken_; ++reads) {
    is_shaken_ = records_->shake_hands();
    flush(socket);
    if (fault() || is_shaken_) break;
    if (reads == reads_at_once) return progress::pending;
    const auto size = fill(socket);
    if (size < 0 && is_pending(errno)) return progress::pending;
    if (size <= 0) {
      records_->fail(ended_in_handshake(size < 0 ? errno : 0));
      break;
    }
  }
  if (!fault()) write_staged(socket);
  return fault() ? progress::failed : progress::done;
}

ssize_t tls_transport::send(int socket, const void* data, std::size_t size, bool more) noexcept {
  if (is_shaken_) {
    flush(socket);
    if (wants_to_write()) {
      errno = EAGAIN;
      return -1;
    }
  }
  staged_.append(static_cast<const char*>(data), size);
  if (is_shaken_ && !more) write_staged(socket);
  if (!fault()) return static_cast<ssize_t>(size);
  errno = EPROTO;
  return -1;
}

ssize_t tls_transport::receive(int socket, std::span<char> to) noexcept {
  for (int reads = 0; is_shaken_ && !fault(); ++reads) {
    const auto size = records_->read(to);
    flush(socket);
    if (size > 0) return static_cast<ssize_t>(size);
    if (records_->has_ended()) return 0;
    if (fault() || reads == reads_at_once) break;
    if (const auto arrived = fill(socket); arrived <= 0) return arrived;
  }
  errno = fault() ? EPROTO : EAGAIN;
  return -1;
}

// Bytes that are not sent stay: while they wait to be written, the connection looks at the socket.
// If the server has ended the connection, the next read tells why.
void tls_transport::flush(int socket) noexcept {
  while (wants_to_write()) {
    const auto bytes = records_->to_send();
    const auto sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      records_->sent(static_cast<std::size_t>(sent));
      continue;
    }
    if (!is_pending(errno) && errno != EPIPE && errno != ECONNRESET)
      records_->fail({kind::broken, "sending to it failed" + text_of(errno)});
    return;
  }
}

void tls_transport::end(int socket) noexcept {
  if (!is_shaken_ || fault()) return;
  records_->end();
  flush(socket);
}

std::optional<tls_stats> tls_transport::tls() const {
  return is_shaken_ ? records_->tls() : std::nullopt;
}

/// Reads from the socket, as recv().
ssize_t tls_transport::fill(int socket) noexcept {
  // A record with its overhead.
  std::array<char, 17 * 1024> piece;
  const auto size = ::recv(socket, piece.data(), piece.size(), MSG_DONTWAIT);
  if (size <= 0) return size;
  has_answered_ = true;
  records_->take({piece.data(), static_cast<std::size_t>(size)});
  return size;
}

void tls_transport::write_staged(int socket) noexcept {
  if (staged_.empty()) return;
  records_->write(staged_);
  staged_.clear();
  flush(socket);
}

/// The fault of a server that has closed the connection during the handshake. `error`: the error of
/// the socket, or 0.
server_fault tls_transport::ended_in_handshake(int error) const {
  const std::string how = error == 0 ? "" : text_of(error);
  if (has_answered_) return {kind::broken, "it closed the connection in the TLS handshake" + how};
  return {kind::tls_failed, "it closed the connection instead of a TLS handshake" + how +
                                "; is this the port of its secureClientPort?"};
}

} // namespace zklock::zookeeper
