#pragma once

#include <sys/types.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace deterministic {

class file;
class process;

/// Something that waits until a file is ready: a registration of epoll, or a thread in poll.
class file_waiter {
 public:
  /// `events` may be ready; all of them if it is 0.
  virtual void on_changed(std::uint32_t events) = 0;
  /// The last descriptor of the file is closed.
  virtual void on_released() = 0;
  /// It is a registration of epoll.
  virtual bool is_registered() const { return false; }

 protected:
  ~file_waiter() = default;
};

/// An open file description, to which several descriptors may refer. Functions return a negative
/// error number, as the kernel does.
class file {
 public:
  explicit file(process* owner) noexcept : owner_(owner) {}
  virtual ~file() = default;

  file(const file&) = delete;
  file& operator=(const file&) = delete;

  /// The events of poll() and epoll_wait() that hold now.
  virtual std::uint32_t ready() const = 0;

  virtual ssize_t read(void*, std::size_t) { return -EINVAL; }
  virtual ssize_t write(const void*, std::size_t) { return -EINVAL; }

  /// A connection whose duplicate is waited for, and which is closed otherwise.
  virtual bool is_abandoned() const { return false; }

  void opened() noexcept { ++descriptors_; }
  void closed();

  process* owner() const noexcept { return owner_; }

  bool is_blocking() const noexcept { return blocking_; }
  void set_blocking(bool on) noexcept { blocking_ = on; }

  void add(file_waiter& waiter) { waiters_.push_back(&waiter); }
  void remove(file_waiter& waiter) noexcept;

 protected:
  /// Wakes the waiters for the events; 0 wakes all.
  void changed(std::uint32_t events);

  /// Whether epoll waits for it.
  bool is_registered() const;
  int descriptors() const noexcept { return descriptors_; }

 private:
  /// The last descriptor is closed.
  virtual void released() {}

  process* owner_;
  std::vector<file_waiter*> waiters_;
  int descriptors_ = 0;
  bool blocking_ = true;
};

} // namespace deterministic
