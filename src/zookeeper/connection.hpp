#pragma once

#include "zookeeper/attempt_deadline.hpp"
#include "zookeeper/executor.hpp"
#include "zookeeper/handle.hpp"
#include "zookeeper/loss.hpp"
#include "zookeeper/reactor_socket.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace zklock::zookeeper {

/// Runs handles of the C client on the reactor, a single handle at a time.
///
/// A handle opens a socket once, at its first call. When the socket is closed, the handle is
/// destroyed and `listener::on_lost` is called.
class connection final : reactor_socket::owner {
 public:
  /// Called outside the C client. Each function may send requests and `release` the handle.
  /// `on_lost` may `open` the next handle.
  class listener {
   public:
    virtual void on_established() noexcept = 0;
    /// A request has its reply. `sent`: when the request was sent. `committed`: the reply is the
    /// reply of a committed transaction.
    virtual void on_answered(request_label which, boot_clock::time_point sent,
                             bool committed) noexcept = 0;
    virtual void on_watch_fired(std::string_view path, watch_event event) noexcept = 0;
    /// The data of the server is older than the client has seen. No further reply is delivered.
    /// Must `release` the handle.
    virtual void on_rolled_back() noexcept = 0;
    /// `unanswered`: as `reply_reader::unanswered`.
    virtual void on_lost(loss how, std::string_view why, request_label unanswered) noexcept = 0;

   protected:
    ~listener() = default;
  };

  connection(const strand& executor, listener& to);

  /// Must be called before `open`. `self` points to this object. Handlers do nothing after it has
  /// expired, and keep the object alive while they run.
  void attach(const std::shared_ptr<connection>& self);

  /// Connects. The connection is lost if no session is established at the deadline. The time until
  /// the deadline begins again when the connect request is sent.
  void open(std::unique_ptr<handle> made, std::chrono::steady_clock::time_point deadline);

  /// The open handle; null without a handle.
  handle* open_handle() const noexcept { return handle_.get(); }

  /// Must be called after each request: the socket may have taken only a part of the request.
  void requested();

  /// Removes the handle from the reactor and returns it. The listener is not called any more.
  std::unique_ptr<handle> release();

 private:
  void on_ready(int events) noexcept override { pump(events); }

  void pump(int events) noexcept;
  bool drain(int events);
  void deliver();
  void wait_for_events(std::chrono::steady_clock::time_point as_of);
  void wait_until(std::chrono::steady_clock::time_point due);
  void schedule();
  void lose();
  void lose(loss how, const std::string& why);

  listener& listener_;
  std::weak_ptr<connection> self_;
  std::unique_ptr<handle> handle_;
  reactor_socket socket_;
  waitable_timer timer_;
  bool awaits_timer_ = false;
  attempt_deadline attempt_;
  bool pumping_ = false;
  bool scheduled_ = false;
};

} // namespace zklock::zookeeper
