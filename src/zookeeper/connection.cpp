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

// After so many messages others on the strand get their turn.
constexpr int messages_at_once = 64;

// Half of what Linux gives a new socket for sending.
constexpr std::size_t always_fits = 8 * 1024;

// Or has an error, which is for the C client to find.
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
  patience_ = deadline - steady_clock::now();
  established_ = deaf_ = false;
  if (handle_->state() == condition::lost) return lose();
  ask();
}

// What could not be sent stands behind requests that fill the socket's buffer; the answer to the
// last of them will do to go on. A request that does not fit into an empty buffer has none before
// it.
void connection::requested(std::size_t bytes) {
  if (pumping_ || (bytes <= always_fits && handle_->state() == condition::connected)) return;
  schedule();
}

// Either this is inside a pump, or the wait for reading ends.
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

// Where memory does not suffice for what came, or for waiting for what comes next, the next
// connection begins anew.
void connection::pump(int events) noexcept {
  try {
    if (deaf_.exchange(false)) throw std::bad_alloc();
    take_and_ask(events);
  } catch (const std::bad_alloc&) {
    pumping_ = deaf_ = false;
    delivering_.clear();
    if (handle_) lose(loss::broken, "out of memory");
  }
}

void connection::take_and_ask(int events) {
  pumping_ = true;
  const bool drained = drain(events);
  pumping_ = false;
  if (!handle_) return;
  const auto state = handle_->state();
  const bool sound = state == condition::connecting || state == condition::associating ||
                     state == condition::connected;
  if (!sound) return lose();
  if (!drained) return schedule();
  // Only now: where the program was busy the answer may be older than the deadline.
  if (!established_ && steady_clock::now() >= deadline_) return lose(loss::broken, "no answer");
  ask();
}

// Everything that came in must be read before the C client is asked for its interest: after a
// pause it would give the connection up for silent.
bool connection::drain(int events) {
  for (int budget = messages_at_once; budget > 0; --budget) {
    switch (handle_->state()) {
    case condition::connecting:
      // Reading now would leak a buffer.
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
    // The server has its time from when it is asked, however late that is.
    if (connecting && handle_->state() == condition::associating)
      deadline_ = steady_clock::now() + patience_;
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
  // The inbox itself may go to another thread with the handle.
  std::swap(delivering_, handle_->received());
  for (auto& each : delivering_.messages) {
    if (!handle_ || handle_->given_up()) break;
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

void connection::ask() {
  const auto wanted = handle_->ask();
  const auto state = handle_->state();
  if (state == condition::lost || (!socket_.is_open() && !bind(wanted.descriptor))) return lose();
  if (!wanted.write && registered_for_writing_ && !awaits_writing_ && !forget_writing())
    return lose();
  // While it connects, the socket's errors complete the wait for writing.
  if (state != condition::connecting) wait_until_readable();
  if (wanted.write) wait_until_writable();
  wait_for(wanted.delay);
}

// The C client closes its socket whenever it likes, and the number is soon used again: the reactor
// gets a duplicate of its own.
bool connection::bind(int socket) {
  detail::unique_descriptor duplicate{::fcntl(socket, F_DUPFD_CLOEXEC, 0)};
  if (duplicate.get() < 0) return false;
  error_code error;
  socket_.assign(duplicate.get(), error);
  if (error) return false;
  duplicate.release();
  return true;
}

// Once the reactor has waited for writing it wakes up for it each time it waits for reading.
bool connection::forget_writing() {
  ++registration_;
  awaits_reading_ = registered_for_writing_ = false;
  detail::unique_descriptor socket{socket_.release()};
  error_code error;
  socket_.assign(socket.get(), error);
  if (error) return false;
  socket.release();
  return true;
}

// What a handler of the reactor's knows. Where memory does not suffice to hand the handler over to
// the strand it is destroyed without being called.
class connection::wait {
 public:
  explicit wait(std::weak_ptr<connection> of) : of_(std::move(of)) {}
  wait(wait&&) noexcept = default;
  wait& operator=(wait&&) = delete;
  ~wait() {
    if (const auto left = of_.lock()) left->deaf_ = true;
  }

  std::shared_ptr<connection> over() noexcept { return std::exchange(of_, {}).lock(); }

 private:
  std::weak_ptr<connection> of_;
};

void connection::wait_until_readable() {
  if (std::exchange(awaits_reading_, true)) return;
  socket_.async_wait(waitable_descriptor::wait_read,
                     [self = wait(self_), registration = registration_](error_code) mutable {
                       const auto alive = self.over();
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
                       const auto alive = self.over();
                       if (!alive || alive->registration_ != registration) return;
                       alive->awaits_writing_ = false;
                       alive->pump(ZOOKEEPER_WRITE);
                     });
}

void connection::wait_for(milliseconds delay) {
  auto due = steady_clock::now() + std::max(delay, milliseconds{1});
  if (!established_) due = std::min(due, deadline_);
  // With traffic it is always later: then the timer that runs is early enough.
  if (awaits_timer_ && timer_.expiry() <= due) return;
  awaits_timer_ = true;
  timer_.expires_at(due);
  timer_.async_wait([self = wait(self_)](error_code cancelled) mutable {
    const auto alive = self.over();
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
    // The request is given already. Whatever comes from the server, or the timer, will do.
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
    return lose(loss_by(handle_->fault()), handle_->complaint());
  }
}

void connection::lose(loss how, const std::string& why) {
  release();
  listener_.on_lost(how, why);
}

} // namespace zklock::zookeeper
