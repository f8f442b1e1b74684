#include "zookeeper/connection.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <new>
#include <utility>

namespace zklock::zookeeper {

using std::chrono::steady_clock;
using condition = handle::condition;

namespace {

// Bounds one handler, so that other handlers of the strand run in between.
constexpr int messages_at_once = 64;

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
  case server_fault::kind::does_not_list_own:
    return loss::does_not_list_own;
  case server_fault::kind::authentication_required:
    return loss::authentication_required;
  case server_fault::kind::expired:
    return loss::expired;
  case server_fault::kind::turned_away:
    return loss::turned_away;
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
  asked_ = established_ = wait_failed_ = false;
  if (handle_->state() == condition::lost) return lose();
  wait_for_events();
}

// Nothing is to be done where all is sent: the reactor waits for the reply. Otherwise a pump waits
// until the socket is writable, or notices that the connection is lost.
void connection::requested() {
  const bool is_sent = handle_->state() == condition::connected && !handle_->is_send_cut_short();
  if (!pumping_ && !is_sent) schedule();
}

// The loss is noticed at the end of the current `pump`, or when the wait for reading completes.
void connection::give_up(const char* why) noexcept {
  handle_->give_up(why);
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
  if (handle_->is_data_older()) return listener_.on_rolled_back();
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
    if (connecting && handle_->state() == condition::associating) {
      asked_ = true;
      deadline_ = steady_clock::now() + limit_;
    }
    if (handle_->is_data_older()) return true;
    if (!established_ && handle_->state() == condition::connected) {
      established_ = true;
      listener_.on_established();
    }
    if (handle_) deliver();
    if (!handle_ || handle_->is_data_older() || !more) return true;
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
    listener_.on_answered(each.request, each.sent, each.committed);
    each.to->on_reply(each.tag, each.answer);
  }
  delivering_.clear();
}

void connection::lose() {
  if (handle_->state() == condition::authentication_failed)
    return lose(loss::authentication_failed, {});
  const auto how = handle_->is_server_rejected() ? loss::turned_away : loss_by(handle_->fault());
  const bool is_refused = asked_ && !established_ && how == loss::broken;
  lose(is_refused ? loss::refused : how, handle_->error_message());
}

void connection::lose(loss how, const std::string& why) {
  const auto unanswered = handle_->unanswered();
  release();
  listener_.on_lost(how, why, unanswered);
}

} // namespace zklock::zookeeper
