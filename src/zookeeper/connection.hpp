#pragma once

#include "zookeeper/executor.hpp"
#include "zookeeper/handle.hpp"
#include "zookeeper/inbox.hpp"
#include "zookeeper/loss.hpp"
#include "zookeeper/process.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::zookeeper {

/// Runs handles of the C client on the reactor, one after another.
///
/// A handle opens one socket, at its first call. When that socket is closed, the handle is
/// destroyed and `listener::on_lost` is called.
class connection {
 public:
  /// Called outside the C client. Each function may send requests and `release` the handle.
  /// `on_lost` may `open` the next one.
  class listener {
   public:
    virtual void on_established() noexcept = 0;
    /// A request has its reply. `sent`: when the request was sent. `committed`: the reply is that
    /// of a committed transaction.
    virtual void on_answered(request_label which, boot_clock::time_point sent,
                             bool committed) noexcept = 0;
    virtual void on_watch_fired(std::string_view path, watch_event event) noexcept = 0;
    /// The data of the server is older than the client has seen. No further reply is delivered.
    /// Must `release` the handle.
    virtual void on_rolled_back() noexcept = 0;
    /// `unanswered`: as `handle::unanswered`.
    virtual void on_lost(loss how, std::string_view why, request_label unanswered) noexcept = 0;

   protected:
    ~listener() = default;
  };

  connection(strand executor, listener& owner);

  /// Must be called before `open`. `self` points to this object. Handlers do nothing after it has
  /// expired, and keep the object alive while they run.
  void attach(std::weak_ptr<connection> self) { self_ = std::move(self); }

  /// Connects. The connection is lost if no session is established at the deadline. The time until
  /// the deadline begins again when the connect request is sent.
  void open(std::unique_ptr<handle> made, std::chrono::steady_clock::time_point deadline);

  /// The open handle; null without one.
  handle* open_handle() const noexcept { return handle_.get(); }

  /// Must be called after each request: the socket may have taken a part of it.
  void requested();

  /// Makes the connection lost at its next event. May be called in any thread.
  void handler_failed() noexcept { wait_failed_ = true; }

  /// Makes the connection lost for a reason, which must be a string literal; `on_lost` follows, not
  /// inside this call. Allocates no memory.
  void give_up(const char* why) noexcept;

  /// Removes the handle from the reactor and returns it. The listener is not called any more.
  std::unique_ptr<handle> release();

 private:
  class wait;

  void pump(int events) noexcept;
  void process_and_wait(int events);
  bool drain(int events);
  void deliver();
  void wait_for_events();
  bool bind(int socket);
  bool register_again();
  void wait_until_readable();
  void wait_until_writable();
  void wait_for(std::chrono::milliseconds delay);
  void schedule();
  void lose();
  void lose(loss how, const std::string& why);

  const process_mark process_;
  strand executor_;
  // A handler was lost for lack of memory.
  std::atomic<bool> wait_failed_{false};
  listener& listener_;
  std::weak_ptr<connection> self_;
  std::unique_ptr<handle> handle_;
  waitable_descriptor socket_;
  waitable_timer timer_;
  std::chrono::steady_clock::time_point deadline_;
  std::chrono::steady_clock::duration limit_{0};

  /// Distinguishes waits on the current registration of the socket from earlier ones.
  std::uint64_t registration_ = 0;
  bool awaits_reading_ = false;
  bool awaits_writing_ = false;
  bool awaits_timer_ = false;
  bool registered_for_writing_ = false;

  bool asked_ = false;
  bool established_ = false;
  bool pumping_ = false;
  bool scheduled_ = false;

  inbox delivering_;
  std::vector<std::string_view> children_;
};

} // namespace zklock::zookeeper
