// The calls with descriptors of any kind. The linker redirects each call of NAME to __wrap_NAME,
// and
// __real_NAME is the C library's function.
#include "deterministic/kernel/epoll.hpp"
#include "deterministic/kernel/event_file.hpp"
#include "deterministic/kernel/socket.hpp"
#include "deterministic/kernel/system_call.hpp"
#include "deterministic/kernel/timer_file.hpp"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/timerfd.h>

#include <cstdarg>
#include <cstring>
#include <memory>
#include <string_view>

using namespace deterministic;

namespace {

/// Calls a function with the file of a descriptor, of a given kind.
template <class Kind, class Function>
auto with(kernel& in, int number, int otherwise, Function function)
    -> decltype(function(std::declval<Kind&>())) {
  in.checkpoint();
  if (!in.files().find(number))
    return finished(in, decltype(function(std::declval<Kind&>())){-EBADF});
  Kind* const found = in.files().find_as<Kind>(number);
  if (!found) return finished(in, decltype(function(*found)){otherwise});
  return finished(in, function(*found));
}

int open(kernel& in, std::shared_ptr<file> what, bool blocking) {
  in.checkpoint();
  what->set_blocking(blocking);
  return finished(in, in.files().open(std::move(what)));
}

} // namespace

extern "C" {

int __real_close(int);
int __wrap_close(int number) {
  kernel* const in = calling(number);
  if (!in) return __real_close(number);
  in->checkpoint();
  const int result = in->files().close(number);
  // Another thread of a real program could have got the number meanwhile.
  if (result != 0) in->add_fault("a descriptor is closed twice");
  return finished(*in, result);
}

int __real_fcntl(int, int, ...);
int __wrap_fcntl(int number, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  const auto argument = va_arg(arguments, long);
  va_end(arguments);
  kernel* const in = calling(number);
  if (!in) return __real_fcntl(number, command, argument);
  return with<file>(*in, number, -EBADF, [&](file& what) {
    switch (command) {
    case F_DUPFD:
    case F_DUPFD_CLOEXEC:
      return in->current()->lacks_descriptor(true) ? -EMFILE : in->files().duplicate(number);
    case F_GETFL:
      return O_RDWR | (what.is_blocking() ? 0 : O_NONBLOCK);
    case F_SETFL:
      what.set_blocking(!(argument & O_NONBLOCK));
      return 0;
    case F_GETFD:
    case F_SETFD:
      return 0;
    default:
      return -EINVAL;
    }
  });
}

int __real_ioctl(int, unsigned long, ...);
int __wrap_ioctl(int number, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  kernel* const in = calling(number);
  if (!in) return __real_ioctl(number, request, argument);
  return with<file>(*in, number, -EBADF, [&](file& what) {
    if (request != FIONBIO) return -ENOTTY;
    what.set_blocking(*static_cast<int*>(argument) == 0);
    return 0;
  });
}

int __real_dup3(int, int, int);
int __wrap_dup3(int from, int to, int flags) {
  kernel* const in = calling(from);
  if (!in) return __real_dup3(from, to, flags);
  in->checkpoint();
  return finished(*in, in->files().duplicate_to(from, to));
}

ssize_t __real_read(int, void*, std::size_t);
ssize_t __wrap_read(int number, void* to, std::size_t size) {
  kernel* const in = calling(number);
  if (!in) return __real_read(number, to, size);
  return with<file>(*in, number, -EBADF, [&](file& what) { return what.read(to, size); });
}

ssize_t __real_write(int, const void*, std::size_t);
ssize_t __wrap_write(int number, const void* from, std::size_t size) {
  kernel* const in = calling(number);
  if (!in) return __real_write(number, from, size);
  return with<file>(*in, number, -EBADF, [&](file& what) { return what.write(from, size); });
}

int __real_eventfd(unsigned, int);
int __wrap_eventfd(unsigned value, int flags) {
  kernel* const in = calling();
  if (!in) return __real_eventfd(value, flags);
  return open(*in, std::make_shared<event_file>(in->current(), value), !(flags & EFD_NONBLOCK));
}

int __real_eventfd_read(int, eventfd_t*);
int __wrap_eventfd_read(int number, eventfd_t* value) {
  if (!calling(number)) return __real_eventfd_read(number, value);
  return __wrap_read(number, value, sizeof *value) == sizeof *value ? 0 : -1;
}

int __real_eventfd_write(int, eventfd_t);
int __wrap_eventfd_write(int number, eventfd_t value) {
  if (!calling(number)) return __real_eventfd_write(number, value);
  return __wrap_write(number, &value, sizeof value) == sizeof value ? 0 : -1;
}

int __real_timerfd_create(int, int);
int __wrap_timerfd_create(int which, int flags) {
  kernel* const in = calling();
  if (!in) return __real_timerfd_create(which, flags);
  if (which != CLOCK_MONOTONIC && which != CLOCK_BOOTTIME) return finished(*in, -EINVAL);
  return open(*in, std::make_shared<timer_file>(in->current(), in->time(), which),
              !(flags & TFD_NONBLOCK));
}

int __real_timerfd_settime(int, int, const itimerspec*, itimerspec*);
int __wrap_timerfd_settime(int number, int flags, const itimerspec* to, itimerspec* before) {
  kernel* const in = calling(number);
  if (!in) return __real_timerfd_settime(number, flags, to, before);
  return with<timer_file>(*in, number, -EINVAL,
                          [&](timer_file& what) { return what.set(flags, *to, before); });
}

int __real_epoll_create1(int);
int __wrap_epoll_create1(int flags) {
  kernel* const in = calling();
  if (!in) return __real_epoll_create1(flags);
  return open(*in, std::make_shared<epoll>(in->current()), true);
}

int __real_epoll_create(int);
int __wrap_epoll_create(int size) {
  return calling() ? __wrap_epoll_create1(0) : __real_epoll_create(size);
}

int __real_epoll_ctl(int, int, int, epoll_event*);
int __wrap_epoll_ctl(int number, int operation, int of, epoll_event* event) {
  kernel* const in = calling(number);
  if (!in) return __real_epoll_ctl(number, operation, of, event);
  return with<epoll>(*in, number, -EINVAL, [&](epoll& what) {
    file* const target = in->files().find(of);
    if (!target) return -EBADF;
    switch (operation) {
    case EPOLL_CTL_ADD:
      return what.add(of, *target, *event);
    case EPOLL_CTL_MOD:
      return what.modify(of, *target, *event);
    default:
      return what.remove(of, *target);
    }
  });
}

int __real_epoll_wait(int, epoll_event*, int, int);
int __wrap_epoll_wait(int number, epoll_event* events, int most, int timeout) {
  kernel* const in = calling(number);
  if (!in) return __real_epoll_wait(number, events, most, timeout);
  return with<epoll>(*in, number, -EINVAL, [&](epoll& what) {
    const int count = what.wait(events, most);
    if (count == 0 && timeout != 0) in->add_fault("a call of epoll_wait() waits");
    return count;
  });
}

} // extern "C"
