#pragma once

#include "support/unique_descriptor.hpp"
#include "zookeeper/c_client.hpp"
#include "zookeeper/exchange.hpp"
#include "zookeeper/handle_end.hpp"
#include "zookeeper/reply_reader.hpp"
#include "zookeeper/request_writer.hpp"
#include "zookeeper/session_options.hpp"
#include "zookeeper/wire.hpp"

#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace zklock::zookeeper {

/// A handle of the C client: an attempt to connect to an address, and the connection if the attempt
/// succeeds. Independent of Asio.
///
/// After any error, `state` is `lost` and stays so.
class handle {
 public:
  enum class condition {
    connecting,
    associating,
    connected,
    lost,
    authentication_failed,
  };

  /// The result of zookeeper_interest(): the events to wait for.
  struct interest {
    int descriptor = -1;
    bool write = false;
    std::chrono::milliseconds delay{0};
  };

  /// `newest_write` is the newest zxid that a reply to a write has shown on earlier connections.
  handle(const std::string& address, const introduction& as, std::int64_t newest_write,
         const session_options& options, std::unique_ptr<transport> through);

  /// Closes the connection without closing the session. Sends nothing but the end of TLS, and does
  /// not block.
  ~handle();

  handle(const handle&) = delete;
  handle& operator=(const handle&) = delete;

  condition state() const noexcept;

  /// Why the connection is lost: the fault of the server, or else the C client's messages.
  std::string error_message() const { return end_.message(fault()); }

  /// The fault in the server's messages; nothing without a fault.
  const std::optional<server_fault>& fault() const noexcept { return wire_.fault(); }

  /// As `reply_reader::unanswered`.
  request_label unanswered() const noexcept { return replies_.unanswered(); }

  /// The session that the server has granted. It may differ from the session that was asked for.
  clientid_t id() const noexcept { return *zoo_client_id(library_); }
  std::chrono::milliseconds timeout() const noexcept;

  /// Returns the events to wait for, and for how long after `as_of`. A server that was silent for
  /// too long until then ends the connection. The first call opens the socket.
  interest next_interest(std::chrono::steady_clock::time_point as_of);

  /// Continues the handshake of the transport. Returns whether it is done.
  bool shake_hands(int socket) noexcept;

  /// Sends the bytes that the transport has kept.
  void flush(int socket) noexcept { wire_.flush(socket); }

  /// As `transport::tls`.
  std::optional<tls_stats> tls() const { return wire_.tls(); }

  /// Whether `process` has left received bytes to the next call.
  bool has_unread() const noexcept { return wire_.has_unread(); }

  /// Whether `process` would find no message, unless one has arrived since its last read.
  bool is_drained() const noexcept { return wire_.is_drained(); }

  /// Processes at most a single message. Returns whether there may be more messages.
  bool process(int events);

  /// The newest zxid that a reply to a write has shown.
  std::int64_t newest_write() const noexcept { return wire_.checked().newest_write(); }
  /// The zxid of a write that was not above the newest zxid; nothing without such a write.
  std::optional<std::int64_t> rolled_back_to() const noexcept {
    return wire_.checked().rolled_back_to();
  }

  /// Whether the socket has not taken all requests.
  bool is_send_cut_short() const noexcept { return wire_.is_send_cut_short(); }

  /// As `handle_end::reject_server` and `handle_end::reject_data`.
  void reject_server(std::string why) { end_.reject_server(std::move(why)); }
  void reject_data(std::string resurrected) { end_.reject_data(std::move(resurrected)); }
  bool is_server_rejected() const noexcept { return end_.is_rejected(); }
  const std::string& resurrected() const noexcept { return end_.resurrected(); }

  /// Whether the data of the server is older than the client has seen.
  bool is_data_older() const noexcept { return rolled_back_to() || !resurrected().empty(); }

  /// The requests without a reply, and the messages to deliver.
  exchanges& sent() noexcept { return sent_; }

  request_writer& requests() noexcept { return requests_; }

  /// Takes a duplicate of the socket. `close_session` reads the last reply from it.
  void adopt(detail::unique_descriptor socket) noexcept { socket_ = std::move(socket); }

  /// Makes all later callbacks do nothing.
  void detach() noexcept { replies_.detach(); }

  /// Closes the session. Blocks for up to 4.5 seconds. Returns whether the server has confirmed
  /// that the session is closed.
  bool close_session();

 private:
  zhandle_t* make_library(const std::string& address, const session_options& options);

  exchanges sent_;
  handle_end end_;
  wire wire_;
  reply_reader replies_;
  zhandle_t* library_;
  request_writer requests_;
  detail::unique_descriptor socket_;
  bool opened_ = false;
};

} // namespace zklock::zookeeper
