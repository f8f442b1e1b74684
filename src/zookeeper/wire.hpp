#pragma once

#include "zookeeper/c_client.hpp"
#include "zookeeper/checked_input.hpp"
#include "zookeeper/process.hpp"
#include "zookeeper/transport.hpp"

#include <poll.h>
#include <sys/types.h>
#include <time.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace zklock::zookeeper {

/// The part of a connect request that the C client leaves to the library.
struct introduction {
  /// The session to resume; the id 0 requests a new session.
  clientid_t session{};
  /// The newest zxid that the client has seen: a server with older data closes the connection.
  std::int64_t last_zxid_seen = 0;
};

/// The system functions of a handle of the C client. During a `library_call`, the C client's send,
/// recv, poll and clock_gettime are redirected to the wire.
///
/// The C client receives only complete, checked frames, or an error. No function blocks without
/// `permit_waiting`. In the child of a fork, sending and receiving fail.
class wire {
 public:
  /// Requests of `sent` are numbered as they are sent, and their replies are checked.
  wire(std::unique_ptr<transport> through, const introduction& as, reply_check::expectations wanted,
       exchanges& sent);

  wire(const wire&) = delete;
  wire& operator=(const wire&) = delete;

  // Called by the C client through src/zookeeper/hooks.cpp. They set errno.
  ssize_t send(int socket, const void* data, std::size_t size) noexcept;
  ssize_t receive(int socket, void* to, std::size_t size) noexcept;
  int poll(pollfd* descriptors, nfds_t count, int timeout) const noexcept;
  /// Returns the time of the steady clock, whichever clock the C client asks for.
  timespec time() const noexcept;
  /// Returns the xid of the next request.
  std::int32_t next_xid() noexcept;

  /// The check of the replies, which knows the newest write.
  const reply_check& checked() const noexcept { return input_.checked(); }

  /// As the transport's functions.
  transport::progress shake_hands(int socket) noexcept;
  void flush(int socket) noexcept;
  void end(int socket) noexcept;
  bool wants_to_write() const noexcept { return transport_->wants_to_write(); }
  std::optional<tls_stats> tls() const { return transport_->tls(); }

  /// As the functions of `checked_input`.
  bool has_unread() const noexcept { return input_.has_unread(); }
  bool is_drained() const noexcept { return input_.is_drained(); }

  /// Whether the socket has taken the last send in part only, or not at all. The C client stops at
  /// the first such send, and keeps the rest of its requests; a transport keeps the rest of its
  /// bytes.
  bool is_send_cut_short() const noexcept { return is_send_cut_short_ || wants_to_write(); }

  /// Makes all later sends and receives fail.
  void mute() noexcept { muted_ = true; }

  /// The C client's clock stands still at a time, or goes on without a value.
  void hold_time(std::optional<std::chrono::steady_clock::time_point> at) noexcept {
    held_time_ = at;
  }

  /// Lets `poll` block until the socket is writable.
  void permit_waiting() noexcept { may_wait_ = true; }

  /// Waits for the reply to the last request, and returns whether it has no error. Skips events and
  /// the replies to earlier requests.
  bool wait_for_last_reply(int socket, std::chrono::steady_clock::time_point deadline) noexcept;

  /// The fault of the transport or in the server's messages, or the end of the connection.
  const std::optional<server_fault>& fault() const noexcept {
    return transport_->fault() ? transport_->fault() : input_.fault();
  }

 private:
  // In the child of a fork, the socket and the transport's keys are the parent's.
  bool is_open() const noexcept { return !muted_ && process_.is_current(); }
  void make_list_of_own(void* data, std::size_t size) noexcept;
  ssize_t send_introduction(int socket, const void* data, std::size_t size) noexcept;

  exchanges& sent_;
  const std::unique_ptr<transport> transport_;
  checked_input input_;
  // No value once it is sent.
  std::optional<introduction> introduction_;
  std::int32_t last_xid_ = 0;
  // The xid of the last `list_own`.
  std::optional<std::int32_t> list_of_own_;
  std::optional<std::chrono::steady_clock::time_point> held_time_;
  const process_mark process_;
  bool is_send_cut_short_ = false;
  bool muted_ = false;
  bool may_wait_ = false;
};

} // namespace zklock::zookeeper
