#include "zookeeper/connection.hpp"

#include <boost/asio/post.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <new>
#include <utility>

namespace zklock::zookeeper {

namespace asio = boost::asio;
using boost::system::error_code;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using condition = handle::condition;

namespace {

// Bounds one handler, so that other handlers of the strand run in between.
constexpr int messages_at_once = 64;

// Half of the send buffer that Linux gives a new socket.
constexpr std::size_t always_fits = 8 * 1024;

// Also true for a socket with an error, which the C client then reports.
bool is_writable(int socket) {
  pollfd writable{socket, POLLOUT, 0};
  return ::poll(&writable, 1, 0) == 1;
}

loss loss_by(const std::optional<server_fault>& fault) {
  if (!fault) return loss::broken;
  switch (fault->what) {
  case server_fault::kind::not_zookeeper:
    return loss::not_zookeeper;
  case server_fault::kind::session_timeout_too_short:
    return loss::session_timeout_too_short;
  case server_fault::kind::too_old:
    return loss::too_old;
  case server_fault::kind::broken:
    return loss::broken;
  }
  return loss::broken;
}

} // namespace

connection::connection(strand executor, listener& owner)
    : executor_(std::move(executor)), listener_(owner), socket_(executor_), timer_(executor_) {}

void connection::open(std::unique_ptr<handle> made, steady_clock::time_point deadline) {
  handle_ = std::move(made);
  deadline_ = deadline;
  limit_ = deadline - steady_clock::now();
  established_ = wait_failed_ = false;
  if (handle_->state() == condition::lost) return lose();
  wait_for_events();
}

// A small request remains unsent only behind requests that fill the socket's buffer. The replies to
// those continue the sending. A large request may be the only unsent one, so a pump follows.
void connection::requested(std::size_t bytes) {
  if (pumping_ || (bytes <= always_fits && handle_->state() == condition::connected)) return;
  schedule();
}

// The loss is noticed at the end of the current `pump`, or when the wait for reading completes.
void connection::give_up() noexcept {
  handle_->give_up();
  ::shutdown(socket_.native_handle(), SHUT_RDWR);
}

std::unique_ptr<handle> connection::release() {
  ++registration_;
  timer_.cancel();
  awaits_reading_ = awaits_writing_ = awaits_timer_ = registered_for_writing_ = false;
  if (handle_) {
    handle_->detach();
    if (socket_.is_open()) {
      if (!process_.is_current()) disown(socket_.native_handle());
      handle_->adopt(detail::unique_descriptor{socket_.release()});
    }
  }
  return std::move(handle_);
}

// Without memory for a message or for the next wait, the connection is lost, and the session
// connects again.
void connection::pump(int events) noexcept {
  try {
    if (wait_failed_.exchange(false)) throw std::bad_alloc();
    process_and_wait(events);
  } catch (const std::bad_alloc&) {
    pumping_ = wait_failed_ = false;
    delivering_.clear();
    if (handle_) lose(loss::broken, "out of memory");
  }
}

void connection::process_and_wait(int events) {
  pumping_ = true;
  const bool drained = drain(events);
  pumping_ = false;
  if (!handle_) return;
  const auto state = handle_->state();
  const bool sound = state == condition::connecting || state == condition::associating ||
                     state == condition::connected;
  if (!sound) return lose();
  if (!drained) return schedule();
  // Checked last: if the program was busy, the reply may have arrived before the deadline.
  if (!established_ && steady_clock::now() >= deadline_) return lose(loss::broken, "no answer");
  wait_for_events();
}

// All input must be read before zookeeper_interest() is called: after a pause of the program, that
// function would treat the connection as silent and close it.
bool connection::drain(int events) {
  for (int budget = messages_at_once; budget > 0; --budget) {
    switch (handle_->state()) {
    case condition::connecting:
      // The C client leaks a buffer if it reads now.
      events = is_writable(socket_.native_handle()) ? ZOOKEEPER_WRITE : 0;
      if (!events) return true;
      break;
    case condition::associating:
      events = ZOOKEEPER_READ;
      break;
    case condition::connected:
      events |= ZOOKEEPER_READ;
      break;
    default:
      return true;
    }
    const bool connecting = handle_->state() == condition::connecting;
    const bool more = handle_->process(events);
    // The time limit of the server begins when the connect request is sent.
    if (connecting && handle_->state() == condition::associating)
      deadline_ = steady_clock::now() + limit_;
    if (!established_ && handle_->state() == condition::connected) {
      established_ = true;
      listener_.on_established();
    }
    if (handle_) deliver();
    if (!handle_ || !more) return true;
    events = 0;
  }
  return false;
}

void connection::deliver() {
  // Swapped: a callback may release the handle, with its inbox, to another thread.
  std::swap(delivering_, handle_->received());
  for (auto& each : delivering_.messages) {
    if (!handle_ || handle_->is_server_rejected()) break;
    const std::string_view text =
        std::string_view(delivering_.text).substr(each.text_begin, each.text_size);
    if (!each.to) {
      listener_.on_watch_fired(text, each.event);
      continue;
    }
    children_.clear();
    if (each.has_data) {
      each.answer.data = text;
    } else if (each.children == 0) {
      each.answer.path = text;
    } else {
      for (auto rest = text; !rest.empty();) {
        children_.push_back(rest.substr(0, rest.find('\0')));
        rest.remove_prefix(children_.back().size() + 1);
      }
      each.answer.children = children_;
    }
    listener_.on_answered(each.sent, each.committed);
    each.to->on_reply(each.tag, each.answer);
  }
  delivering_.clear();
}

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

void connection::lose() {
  switch (handle_->state()) {
  case condition::expired:
    return lose(loss::expired, {});
  case condition::authentication_failed:
    return lose(loss::authentication_failed, {});
  default:
    return lose(loss_by(handle_->fault()), handle_->error_message());
  }
}

void connection::lose(loss how, const std::string& why) {
  release();
  listener_.on_lost(how, why);
}

} // namespace zklock::zookeeper
