#pragma once

#include "support/unique_descriptor.hpp"
#include "zookeeper/executor.hpp"
#include "zookeeper/process.hpp"

#include <cstdint>
#include <memory>

namespace zklock::zookeeper {

/// The reactor's duplicate of the socket of the C client, and the waits for its events.
///
/// The C client closes its socket at any time, and the number is soon reused: so the reactor gets a
/// duplicate.
class reactor_socket {
 public:
  class owner {
   public:
    /// Called on the strand. `events` is the argument of zookeeper_process().
    virtual void on_ready(int events) noexcept = 0;

   protected:
    ~owner() = default;
  };

  reactor_socket(const strand& executor, owner& by) : owner_(by), socket_(executor.of_reactor()) {}

  /// Must be called before the first wait. `self` points to this object. Handlers do nothing after
  /// it has expired, and keep the object alive while they run.
  void attach(std::weak_ptr<reactor_socket> self) noexcept { self_ = std::move(self); }

  bool is_bound() const noexcept { return socket_.is_open(); }

  /// The reactor's duplicate of the socket.
  int descriptor() noexcept { return socket_.native_handle(); }

  /// Gives the reactor a duplicate of a socket. Returns whether that has succeeded.
  bool bind(int socket);

  /// Waits for events, unless it does already. Must be bound. Returns whether the reactor has taken
  /// the socket.
  bool wait(bool for_reading, bool for_writing);

  /// Whether the socket is writable or has an error, which the C client then reports.
  bool is_writable() noexcept;

  /// Takes the socket from the reactor. In the child of a fork, the number refers to another open
  /// file from then on. The owner is not called any more.
  detail::unique_descriptor release();

 private:
  bool register_again();
  void wait_until_readable();
  void wait_until_writable();

  const process_mark process_;
  owner& owner_;
  std::weak_ptr<reactor_socket> self_;
  waitable_descriptor socket_;
  // Distinguishes waits on the current registration of the socket from earlier waits.
  std::uint64_t registration_ = 0;
  bool awaits_reading_ = false;
  bool awaits_writing_ = false;
  bool registered_for_writing_ = false;
};

} // namespace zklock::zookeeper
