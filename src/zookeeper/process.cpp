#include "zookeeper/process.hpp"

#include "support/unique_descriptor.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>

namespace zklock::zookeeper {

namespace {

constinit process_mutexes mutexes;
// Incremented in each child of a fork.
constinit std::atomic<unsigned> forks{0};

// No thread holds two of the mutexes at once, so any order is free of deadlocks.
void lock_all() {
  mutexes.closers.lock();
  mutexes.clients.lock();
  mutexes.c_client.lock();
}

void unlock_all() {
  mutexes.c_client.unlock();
  mutexes.clients.unlock();
  mutexes.closers.unlock();
}

void begin_child() {
  forks.fetch_add(1, std::memory_order_relaxed);
  unlock_all();
}

[[maybe_unused]] const int registered = ::pthread_atfork(&lock_all, &unlock_all, &begin_child);

} // namespace

process_mark::process_mark() noexcept : forks_(forks.load(std::memory_order_relaxed)) {}

bool process_mark::is_current() const noexcept {
  return forks_ == forks.load(std::memory_order_relaxed);
}

process_mutexes& mutexes_of_process() noexcept {
  return mutexes;
}

void disown(int descriptor) noexcept {
  const detail::unique_descriptor other{::eventfd(0, EFD_CLOEXEC)};
  // Without a replacement, the number is invalid, which is safe too.
  if (other.get() < 0)
    ::close(descriptor);
  else
    ::dup3(other.get(), descriptor, O_CLOEXEC);
}

} // namespace zklock::zookeeper
