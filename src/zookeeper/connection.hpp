#pragma once

#include "zookeeper/executor.hpp"
#include "zookeeper/handle.hpp"
#include "zookeeper/inbox.hpp"
#include "zookeeper/process.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::zookeeper {

enum class loss {
  broken,
  not_zookeeper,
  session_timeout_too_short,
  too_old,
  expired,
  authentication_failed,
};

/// Drives a handle with the reactor, one handle after another.
///
/// A handle opens one socket at its first call and none after: when that is gone the handle is
/// destroyed and the listener told.
class connection {
 public:
  /// Called outside the C client. May make requests and `release` the handle; `on_lost` may `open`
  /// the next one.
  class listener {
   public:
    virtual void on_established() noexcept = 0;
    /// A request that was sent at that time is answered; `committed`: by a transaction.
    virtual void on_answered(boot_clock::time_point sent, bool committed) noexcept = 0;
    virtual void on_watch_fired(std::string_view path, watch_event event) noexcept = 0;
    virtual void on_lost(loss how, std::string_view why) noexcept = 0;

   protected:
    ~listener() = default;
  };

  connection(strand executor, listener& owner);

  /// Must be called before `open`. Handlers do nothing once `self`, which points to this object,
  /// has expired, and keep it alive while they run.
  void attach(std::weak_ptr<connection> self) { self_ = std::move(self); }

  /// Gives up when it is not established at the deadline; a server that could not be asked before
  /// has as long from then on.
  void open(std::unique_ptr<handle> made, std::chrono::steady_clock::time_point deadline);

  /// The open handle, if there is one.
  handle* library() noexcept { return handle_.get(); }

  /// Must be called after each request, with how many bytes it has at most: what could not be sent
  /// at once is invisible from outside.
  void requested(std::size_t bytes);

  /// Loses the connection, not inside this call. It needs no memory.
  void give_up() noexcept;

  /// Takes the handle off the reactor. Nothing is heard of it after that.
  std::unique_ptr<handle> release();

 private:
  class wait;

  void pump(int events) noexcept;
  void take_and_ask(int events);
  bool drain(int events);
  void deliver();
  void ask();
  bool bind(int socket);
  bool forget_writing();
  void wait_until_readable();
  void wait_until_writable();
  void wait_for(std::chrono::milliseconds delay);
  void schedule();
  void lose();
  void lose(loss how, const std::string& why);

  const process_mark process_;
  strand executor_;
  // What it waits for was not heard for want of memory.
  std::atomic<bool> deaf_{false};
  listener& listener_;
  std::weak_ptr<connection> self_;
  std::unique_ptr<handle> handle_;
  waitable_descriptor socket_;
  waitable_timer timer_;
  std::chrono::steady_clock::time_point deadline_;
  std::chrono::steady_clock::duration patience_{0};

  /// Tells waits for the socket as it is registered now from earlier ones.
  std::uint64_t registration_ = 0;
  bool awaits_reading_ = false;
  bool awaits_writing_ = false;
  bool awaits_timer_ = false;
  bool registered_for_writing_ = false;

  bool established_ = false;
  bool pumping_ = false;
  bool scheduled_ = false;

  inbox delivering_;
  std::vector<std::string_view> children_;
};

} // namespace zklock::zookeeper
