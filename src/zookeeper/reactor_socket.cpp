#include "zookeeper/reactor_socket.hpp"

#include "zookeeper/c_client.hpp"

#include <fcntl.h>
#include <poll.h>

#include <utility>

namespace zklock::zookeeper {

using boost::system::error_code;

bool reactor_socket::bind(int socket) {
  detail::unique_descriptor duplicate{::fcntl(socket, F_DUPFD_CLOEXEC, 0)};
  if (duplicate.get() < 0) return false;
  error_code error;
  socket_.assign(duplicate.get(), error);
  if (error) return false;
  duplicate.release();
  return true;
}

bool reactor_socket::wait(bool for_reading, bool for_writing) {
  if (!for_writing && registered_for_writing_ && !awaits_writing_ && !register_again())
    return false;
  if (for_reading) wait_until_readable();
  if (for_writing) wait_until_writable();
  return true;
}

bool reactor_socket::is_writable() noexcept {
  pollfd writable{socket_.native_handle(), POLLOUT, 0};
  return ::poll(&writable, 1, 0) == 1;
}

detail::unique_descriptor reactor_socket::release() {
  ++registration_;
  awaits_reading_ = awaits_writing_ = registered_for_writing_ = false;
  if (!socket_.is_open()) return detail::unique_descriptor{};
  if (!process_.is_current()) disown(socket_.native_handle());
  return detail::unique_descriptor{socket_.release()};
}

// A socket that was once registered for writing wakes the reactor for every writable event. Only a
// new registration ends that.
bool reactor_socket::register_again() {
  detail::unique_descriptor socket{socket_.release()};
  ++registration_;
  awaits_reading_ = registered_for_writing_ = false;
  error_code error;
  socket_.assign(socket.get(), error);
  if (error) return false;
  socket.release();
  return true;
}

void reactor_socket::wait_until_readable() {
  if (std::exchange(awaits_reading_, true)) return;
  socket_.async_wait(waitable_descriptor::wait_read,
                     [self = self_, registration = registration_](error_code) {
                       const auto alive = self.lock();
                       if (!alive || alive->registration_ != registration) return;
                       alive->awaits_reading_ = false;
                       alive->owner_.on_ready(ZOOKEEPER_READ);
                     });
}

void reactor_socket::wait_until_writable() {
  registered_for_writing_ = true;
  if (std::exchange(awaits_writing_, true)) return;
  socket_.async_wait(waitable_descriptor::wait_write,
                     [self = self_, registration = registration_](error_code) {
                       const auto alive = self.lock();
                       if (!alive || alive->registration_ != registration) return;
                       alive->awaits_writing_ = false;
                       alive->owner_.on_ready(ZOOKEEPER_WRITE);
                     });
}

} // namespace zklock::zookeeper
