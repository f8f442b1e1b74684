// What a connection waits for: its socket and its timer.

#include "zookeeper/connection.hpp"

#include <boost/asio/post.hpp>

#include <fcntl.h>

#include <algorithm>
#include <new>
#include <utility>

namespace zklock::zookeeper {

namespace asio = boost::asio;
using boost::system::error_code;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using condition = handle::condition;

void connection::wait_for_events() {
  const auto wanted = handle_->next_interest();
  const auto state = handle_->state();
  if (state == condition::lost || (!socket_.is_open() && !bind(wanted.descriptor))) return lose();
  if (!wanted.write && registered_for_writing_ && !awaits_writing_ && !register_again())
    return lose();
  // During the connect, errors of the socket complete the wait for writing.
  if (state != condition::connecting) wait_until_readable();
  if (wanted.write) wait_until_writable();
  wait_for(wanted.delay);
}

// The C client closes its socket at any time, and the number is soon reused. So the reactor gets a
// duplicate.
bool connection::bind(int socket) {
  detail::unique_descriptor duplicate{::fcntl(socket, F_DUPFD_CLOEXEC, 0)};
  if (duplicate.get() < 0) return false;
  error_code error;
  socket_.assign(duplicate.get(), error);
  if (error) return false;
  duplicate.release();
  return true;
}

// A socket that was once registered for writing wakes the reactor for every writable event. Only a
// new registration ends that.
bool connection::register_again() {
  ++registration_;
  awaits_reading_ = registered_for_writing_ = false;
  detail::unique_descriptor socket{socket_.release()};
  error_code error;
  socket_.assign(socket.get(), error);
  if (error) return false;
  socket.release();
  return true;
}

// The state of a handler of the reactor. Without memory to dispatch the handler to the strand, it
// is destroyed without being called, which sets `wait_failed_`.
class connection::wait {
 public:
  explicit wait(std::weak_ptr<connection> of) : of_(std::move(of)) {}
  wait(wait&&) noexcept = default;
  wait& operator=(wait&&) = delete;
  ~wait() {
    if (const auto alive = of_.lock()) alive->wait_failed_ = true;
  }

  std::shared_ptr<connection> complete() noexcept { return std::exchange(of_, {}).lock(); }

 private:
  std::weak_ptr<connection> of_;
};

void connection::wait_until_readable() {
  if (std::exchange(awaits_reading_, true)) return;
  socket_.async_wait(waitable_descriptor::wait_read,
                     [self = wait(self_), registration = registration_](error_code) mutable {
                       const auto alive = self.complete();
                       if (!alive || alive->registration_ != registration) return;
                       alive->awaits_reading_ = false;
                       alive->pump(ZOOKEEPER_READ);
                     });
}

void connection::wait_until_writable() {
  registered_for_writing_ = true;
  if (std::exchange(awaits_writing_, true)) return;
  socket_.async_wait(waitable_descriptor::wait_write,
                     [self = wait(self_), registration = registration_](error_code) mutable {
                       const auto alive = self.complete();
                       if (!alive || alive->registration_ != registration) return;
                       alive->awaits_writing_ = false;
                       alive->pump(ZOOKEEPER_WRITE);
                     });
}

void connection::wait_for(milliseconds delay) {
  auto due = steady_clock::now() + std::max(delay, milliseconds{1});
  if (!established_) due = std::min(due, deadline_);
  // With traffic, each expiry is later than the one before: the running timer is early enough.
  if (awaits_timer_ && timer_.expiry() <= due) return;
  awaits_timer_ = true;
  timer_.expires_at(due);
  timer_.async_wait([self = wait(self_)](error_code cancelled) mutable {
    const auto alive = self.complete();
    if (cancelled || !alive) return;
    alive->awaits_timer_ = false;
    if (alive->handle_) alive->pump(0);
  });
}

void connection::schedule() {
  if (std::exchange(scheduled_, true)) return;
  try {
    asio::post(executor_, [self = self_] {
      const auto alive = self.lock();
      if (!alive) return;
      alive->scheduled_ = false;
      if (alive->handle_) alive->pump(0);
    });
  } catch (const std::bad_alloc&) {
    // The C client has queued the request. The next event of the socket or the timer sends it.
    scheduled_ = false;
  }
}

} // namespace zklock::zookeeper
