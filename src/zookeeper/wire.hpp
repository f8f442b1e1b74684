#pragma once

#include "zookeeper/frame_buffer.hpp"
#include "zookeeper/process.hpp"
#include "zookeeper/reply_check.hpp"

#include <poll.h>
#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace zklock::zookeeper {

/// What stands between one handle of the C client and the system: the C client's send, receive and
/// poll end up here while a `library_call` is under way.
///
/// The C client gets whole frames that were checked, or an error. Nothing here waits, unless that
/// was permitted. The connection belongs to the process in which this was made: a child that `fork`
/// has made since can neither send nor receive.
class wire {
 public:
  explicit wire(reply_check::expectations wanted) : check_(std::move(wanted)) {}

  wire(const wire&) = delete;
  wire& operator=(const wire&) = delete;

  // What the C client calls, through src/zookeeper/hooks.cpp. They set errno.
  ssize_t send(int socket, const void* data, std::size_t size, int flags) noexcept;
  ssize_t receive(int socket, void* to, std::size_t size) noexcept;
  int poll(pollfd* descriptors, nfds_t count, int timeout) const noexcept;
  /// The number of the request that is being made.
  std::int32_t number_request() noexcept;

  /// The request that is made next is a request of the program with such a reply.
  void expect(answer_shape shape) noexcept { next_shape_ = shape; }
  /// One more part of the transaction that is made next.
  void expect_part(answer_shape shape) { check_.expect_part(shape); }

  /// The request that was numbered last is not sent.
  void withdraw_last() noexcept { check_.withdraw_last(); }

  /// Nothing is sent or received from here on.
  void mute() noexcept { muted_ = true; }

  /// Lets `poll` wait until something can be sent.
  void permit_waiting() noexcept { may_wait_ = true; }

  /// Waits for the reply to the request that was made last, and returns whether it has no error.
  /// Replies to others and events may come before it.
  bool wait_for_last_reply(int socket, std::chrono::steady_clock::time_point deadline) noexcept;

  /// Why the server's messages are no good; or that it has closed the connection.
  const std::optional<server_fault>& fault() const noexcept { return fault_; }

 private:
  bool find_frame(int socket) noexcept;
  bool check_begin() noexcept;
  bool fill(int socket) noexcept;

  reply_check check_;
  frame_buffer arrived_;
  /// How much of the first frame was checked and not yet taken by the C client.
  std::size_t checked_ = 0;
  std::optional<answer_shape> next_shape_;
  std::int32_t last_number_ = 0;
  std::optional<server_fault> fault_;
  const process_mark process_;
  bool muted_ = false;
  bool may_wait_ = false;
};

} // namespace zklock::zookeeper
