#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace deterministic {

/// Simulated time since the beginning of the history.
using time_point = std::chrono::nanoseconds;

/// The simulated clock and its timers.
class event_loop {
 public:
  using timer = std::uint64_t;

  virtual time_point now() const noexcept = 0;
  /// Calls a function at a time. Functions of equal times run in the order of the calls of `at`.
  virtual timer at(time_point when, std::function<void()> what) = 0;
  virtual void cancel(timer which) noexcept = 0;

 protected:
  ~event_loop() = default;
};

/// The server's end of a connection. Bytes arrive at the client in order, after the network's
/// delay.
class server_end {
 public:
  virtual ~server_end() = default;
  virtual void send(std::string_view bytes) = 0;
  /// Closes after all bytes that were sent.
  virtual void close() = 0;
  /// Closes at once: bytes in flight are lost, and the client's calls fail with ECONNRESET.
  virtual void reset() = 0;
};

/// The server's side of a connection. The network owns it until the connection has ended.
class server_program {
 public:
  virtual ~server_program() = default;
  virtual void on_bytes(std::string_view bytes) = 0;
  /// The client has closed or reset the connection, or the network has.
  virtual void on_closed() = 0;
  /// The client has closed the connection, and nothing was wrong with the network.
  virtual void on_left() { on_closed(); }
};

/// A server that accepts connections at an address.
class listener {
 public:
  virtual std::unique_ptr<server_program> accept(std::shared_ptr<server_end> client) = 0;

 protected:
  ~listener() = default;
};

} // namespace deterministic
