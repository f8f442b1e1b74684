#include "deterministic/kernel/socket.hpp"

#include "deterministic/kernel/connection.hpp"
#include "deterministic/kernel/kernel.hpp"

#include <poll.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace deterministic {

socket::socket(kernel& of, process* owner, int family) noexcept
    : file(owner), kernel_(of), family_(family) {}

int socket::connect(const std::string& address) {
  switch (state_) {
  case state::connecting:
    return -EALREADY;
  case state::connected:
    return -EISCONN;
  case state::closed:
    return error_ != 0 ? -take_error() : -ECONNABORTED;
  case state::idle:
    break;
  }
  if (!owner() || owner()->is_dead() || owner()->lacks_network()) return -ENETUNREACH;
  owner()->note_connect();
  if (is_blocking()) kernel_.add_fault("a socket connects that may block");
  peer_ = address;
  state_ = state::connecting;
  connection_ = kernel_.net().connect(*this, *owner(), address);
  return -EINPROGRESS;
}

ssize_t socket::send(std::string_view bytes, int flags) {
  if (state_ == state::connecting) return -EAGAIN;
  if (error_ != 0) return -take_error();
  if (state_ != state::connected || writing_ended_) {
    if (!(flags & MSG_NOSIGNAL)) kernel_.add_fault("a write to a closed socket raises SIGPIPE");
    return -EPIPE;
  }
  if (owner()->fails_to_send()) {
    send_failed_ = true;
    return -ENOBUFS;
  }
  const auto size = std::min(bytes.size(), space());
  if (size < bytes.size()) {
    kernel_.note_short_send();
    wait_for_space();
  }
  if (size == 0 && !bytes.empty()) {
    kernel_.trace([&] { return owner()->name() + ": the send buffer is full"; });
    return -EAGAIN;
  }
  connection_->write(bytes.substr(0, size));
  return static_cast<ssize_t>(size);
}

ssize_t socket::receive(void* to, std::size_t size, int flags) {
  const auto given = std::min(size, received());
  if (given != 0) {
    std::memcpy(to, received_.data() + begin_, given);
    if (flags & MSG_PEEK) return static_cast<ssize_t>(given);
    begin_ += given;
    if (begin_ == received_.size()) {
      received_.clear();
      begin_ = 0;
    }
    return static_cast<ssize_t>(given);
  }
  if (state_ == state::idle) return -ENOTCONN;
  if (error_ != 0) return -take_error();
  if (ended_ || reading_ended_ || state_ == state::closed) return 0;
  if (is_blocking() && !(flags & MSG_DONTWAIT))
    kernel_.add_fault("a socket is read that may block");
  return -EAGAIN;
}

int socket::shutdown(int how) {
  if (state_ != state::connected) return -ENOTCONN;
  if (how != SHUT_WR) reading_ended_ = true;
  if (how != SHUT_RD && !std::exchange(writing_ended_, true)) connection_->finish();
  changed(0);
  return 0;
}

int socket::take_error() noexcept {
  return std::exchange(error_, 0);
}

std::size_t socket::space() const {
  const auto used = connection_->unacknowledged();
  return used < kernel_.send_buffer() ? kernel_.send_buffer() - used : 0;
}

// As in Linux, a third of the buffer must be free.
bool socket::is_writable() const {
  return state_ != state::connected || writing_ended_ || 3 * space() >= kernel_.send_buffer();
}

// As in Linux, also if poll finds that there is too little: otherwise nothing would wake the
// waiter.
void socket::wait_for_space() const {
  if (std::exchange(waits_for_space_, true)) return;
  connection_->tell_of_space();
}

std::uint32_t socket::ready() const {
  std::uint32_t events = 0;
  const bool closed = state_ == state::idle || state_ == state::closed;
  if (closed || ((reading_ended_ || ended_) && writing_ended_)) events |= POLLHUP;
  if (ended_ || reading_ended_ || state_ == state::closed) events |= POLLIN | POLLRDHUP;
  if (received() != 0) events |= POLLIN;
  if (state_ != state::connecting) {
    if (is_writable())
      events |= POLLOUT;
    else
      wait_for_space();
  }
  if (error_ != 0) events |= POLLERR;
  return events;
}

void socket::on_connected() {
  state_ = state::connected;
  changed(0);
}

void socket::on_bytes(std::string_view bytes) {
  if (reading_ended_) return;
  received_.append(bytes);
  changed(POLLIN);
}

void socket::on_end() {
  ended_ = true;
  changed(0);
}

// Bytes received before can still be read.
void socket::on_error(int error) {
  if (state_ == state::closed) return;
  error_ = ended_ ? EPIPE : error;
  state_ = state::closed;
  changed(0);
}

void socket::on_space() {
  if (state_ != state::connected || !waits_for_space_ || !is_writable()) return;
  waits_for_space_ = false;
  changed(POLLOUT);
}

// Linux resets the connection where the program has not read all that has arrived.
void socket::released() {
  if (!connection_) return;
  const bool unread = received() != 0;
  const bool goes_on = state_ == state::connected && !ended_ && !reading_ended_;
  if (owner()) owner()->leaves(peer_, unread && goes_on && !send_failed_);
  std::exchange(connection_, nullptr)->release(unread);
}

} // namespace deterministic
