#include "zookeeper/connection.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <list>
#include <utility>

namespace zklock::zookeeper {

namespace asio = boost::asio;
using boost::system::error_code;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using condition = handle::condition;

namespace {

// Bounds a handler, so that the strand's other handlers run in between.
constexpr int messages_at_once = 64;

loss loss_by(const std::optional<server_fault>& fault) {
  if (!fault) return loss::broken;
  switch (fault->what) {
  case server_fault::kind::not_zookeeper:
    return loss::not_zookeeper;
  case server_fault::kind::tls_failed:
    return loss::tls_failed;
  case server_fault::kind::certificate_refused:
    return loss::certificate_refused;
  case server_fault::kind::certificate_demanded:
    return loss::certificate_demanded;
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

connection::connection(const strand& executor, listener& to)
    : listener_(to), socket_(executor, *this), timer_(executor) {}

void connection::attach(const std::shared_ptr<connection>& self) {
  self_ = self;
  socket_.attach(std::shared_ptr<reactor_socket>(self, &socket_));
}

void connection::open(std::unique_ptr<handle> made, steady_clock::time_point deadline) {
  handle_ = std::move(made);
  attempt_.begin(deadline);
  if (handle_->state() == condition::lost) return lose();
  wait_for_events(steady_clock::now());
}

// Nothing is to be done once all requests are sent: the reactor waits for the reply. Otherwise a
// pump waits until the socket is writable, or notices that the connection is lost.
void connection::requested() {
  const bool is_sent = handle_->state() == condition::connected && !handle_->is_send_cut_short();
  if (!pumping_ && !is_sent) schedule();
}

std::unique_ptr<handle> connection::release() {
  timer_.cancel();
  awaits_timer_ = false;
  auto socket = socket_.release();
  if (handle_) {
    handle_->detach();
    handle_->adopt(std::move(socket));
  }
  return std::move(handle_);
}

// The deadlines are compared with the time before the input was read: the program may be stopped at
// any point, and the messages that arrive meanwhile are not read yet.
void connection::pump(int events) noexcept {
  const auto begun = steady_clock::now();
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
  if (attempt_.is_over(begun)) return lose(loss::broken, "no answer");
  wait_for_events(begun);
}

// All input must be read before zookeeper_interest() is called: after a pause of the program, that
// function would treat the connection as silent and close it.
bool connection::drain(int events) {
  handle_->flush(socket_.descriptor());
  for (int budget = messages_at_once; budget > 0; --budget) {
    switch (handle_->state()) {
    case condition::connecting:
      // The C client leaks a buffer if it reads now.
      events = socket_.is_writable() ? ZOOKEEPER_WRITE : 0;
      if (!events) return true;
      break;
    case condition::associating:
      // Outside the C client, whose mutex no other thread waits for meanwhile.
      if (!handle_->shake_hands(socket_.descriptor())) return true;
      if (!attempt_.is_asked()) attempt_.asked();
      events = ZOOKEEPER_READ;
      break;
    case condition::connected:
      events |= ZOOKEEPER_READ;
      break;
    default:
      return true;
    }
    const bool more = handle_->process(events);
    if (handle_->is_data_older()) return true;
    if (!attempt_.is_established() && handle_->state() == condition::connected) {
      attempt_.established();
      // The times of the session are earlier than the time of the attempt.
      awaits_timer_ = false;
      listener_.on_established();
    }
    if (handle_) deliver();
    if (!handle_ || handle_->is_data_older()) return true;
    // Bytes that arrive after the last read end the wait for the socket: either that wait was
    // pending at the read, or it begins after the read, and the reactor then asks the kernel once
    // more whether the socket is readable.
    if (handle_->is_drained()) return true;
    // No event of the socket announces bytes that its transport has read already.
    if (!more) return !handle_->has_unread();
    events = 0;
  }
  return false;
}

void connection::deliver() {
  // Taken out: a callback may release the handle, with its messages, to another thread.
  auto arrived = handle_->sent().take_arrived();
  for (auto& each : arrived) {
    if (!handle_ || handle_->is_server_rejected()) break;
    if (!each.to) {
      listener_.on_watch_fired(each.text, each.event);
      continue;
    }
    listener_.on_answered(each.label, each.sent, each.committed);
    each.to->on_reply(each.tag, each.answer);
  }
  if (handle_) handle_->sent().recycle(std::move(arrived));
}

void connection::wait_for_events(steady_clock::time_point as_of) {
  // With traffic, the C client's times are later than before: the running timer is early enough.
  if (attempt_.is_established() && awaits_timer_ && !handle_->is_send_cut_short()) {
    if (!socket_.wait(true, false)) lose();
    return;
  }
  const auto wanted = handle_->next_interest(as_of);
  const auto state = handle_->state();
  if (state == condition::lost || (!socket_.is_bound() && !socket_.bind(wanted.descriptor)))
    return lose();
  // During the connect, errors of the socket complete the wait for writing.
  if (!socket_.wait(state != condition::connecting, wanted.write)) return lose();
  wait_until(as_of + std::max(wanted.delay, milliseconds{1}));
}

void connection::wait_until(steady_clock::time_point due) {
  due = attempt_.cap(due);
  if (awaits_timer_ && timer_.expiry() <= due) return;
  awaits_timer_ = true;
  timer_.expires_at(due);
  timer_.async_wait([self = self_](error_code cancelled) {
    const auto alive = self.lock();
    if (cancelled || !alive) return;
    alive->awaits_timer_ = false;
    if (alive->handle_) alive->pump(0);
  });
}

void connection::schedule() {
  if (std::exchange(scheduled_, true)) return;
  asio::post(timer_.get_executor(), [self = self_] {
    const auto alive = self.lock();
    if (!alive) return;
    alive->scheduled_ = false;
    if (alive->handle_) alive->pump(0);
  });
}

void connection::lose() {
  if (handle_->state() == condition::authentication_failed)
    return lose(loss::authentication_failed, {});
  const auto how = handle_->is_server_rejected() ? loss::turned_away : loss_by(handle_->fault());
  const bool is_refused = attempt_.awaits_reply() && how == loss::broken;
  lose(is_refused ? loss::refused : how, handle_->error_message());
}

void connection::lose(loss how, const std::string& why) {
  const auto unanswered = handle_->unanswered();
  release();
  listener_.on_lost(how, why, unanswered);
}

} // namespace zklock::zookeeper
