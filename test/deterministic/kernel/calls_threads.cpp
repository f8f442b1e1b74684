// The calls for threads. See calls_files.cpp for the names.
#include "deterministic/kernel/held_mutexes.hpp"
#include "deterministic/kernel/system_call.hpp"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

using namespace deterministic;

namespace deterministic {

// Stands for std::thread::_State, which newer versions of libstdc++ keep private: both have the
// same virtual functions in the same order, so a call by either type finds the function. Not in the
// namespace without a name, where the compiler would know that no other source derives from it.
class thread_state {
 public:
  virtual ~thread_state() = default;
  virtual void run() = 0;
};

} // namespace deterministic

namespace {

/// Runs the function of a thread in turns.
class turns {
 public:
  explicit turns(kernel& in) : in_(in), thread_(in.threads().add(in.current())) {}

  template <class Function>
  void run(Function function) {
    in_.threads().enter(*thread_);
    function();
    in_.threads().leave(*std::exchange(thread_, nullptr));
  }

  void started(pthread_t id) noexcept { in_.threads().set_id(*thread_, id); }

 private:
  kernel& in_;
  std::shared_ptr<deterministic::thread> thread_;
};

/// Joins a thread. Only a thread that is about to end can be joined without waiting.
void wait_for_end(kernel& in, pthread_t id, const char* call) {
  const auto joined = in.threads().find(id);
  if (!joined) return;
  if (in.threads().current()) throw std::logic_error("a simulated thread cannot join another");
  while (!joined->is_finished() && in.threads().run(*joined)) {}
  if (joined->is_finished()) return;
  if (call) in.add_fault(std::string(call) + " waits on a thread that must not");
  in.block_until([&] { return joined->is_finished(); });
}

struct started_function {
  std::shared_ptr<turns> in_turns;
  void* (*function)(void*);
  void* argument;
};

void* run_function(void* argument) {
  const std::unique_ptr<started_function> what(static_cast<started_function*>(argument));
  what->in_turns->run([&] { what->function(what->argument); });
  return nullptr;
}

class run_state final : public thread_state {
 public:
  run_state(std::shared_ptr<turns> in_turns, std::unique_ptr<thread_state> what)
      : turns_(std::move(in_turns)), what_(std::move(what)) {}

  void run() override {
    turns_->run([this] {
      what_->run();
      what_.reset();
    });
  }

 private:
  std::shared_ptr<turns> turns_;
  std::unique_ptr<thread_state> what_;
};

} // namespace

extern "C" {

// std::thread: _M_start_thread(_State_ptr, void (*)()) and join().
void __real__ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE(
    std::thread*, std::unique_ptr<thread_state>, void (*)());
void __wrap__ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE(
    std::thread* self, std::unique_ptr<thread_state> what, void (*needed)()) {
  kernel* const in = calling();
  std::shared_ptr<turns> started;
  if (in) {
    started = std::make_shared<turns>(*in);
    what = std::make_unique<run_state>(started, std::move(what));
  }
  __real__ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE(
      self, std::move(what), needed);
  if (in) started->started(self->native_handle());
}

void __real__ZNSt6thread4joinEv(std::thread*);
void __wrap__ZNSt6thread4joinEv(std::thread* self) {
  if (kernel* const in = kernel::installed())
    wait_for_end(*in, self->native_handle(), "std::thread::join()");
  __real__ZNSt6thread4joinEv(self);
}

int __real_pthread_create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
int __wrap_pthread_create(pthread_t* id, const pthread_attr_t* attributes, void* (*function)(void*),
                          void* argument) {
  kernel* const in = calling();
  if (!in) return __real_pthread_create(id, attributes, function, argument);
  const auto started = std::make_shared<turns>(*in);
  auto what = std::make_unique<started_function>(started_function{started, function, argument});
  const int error = __real_pthread_create(id, attributes, &run_function, what.release());
  if (error != 0) throw std::runtime_error("a simulation needs another thread");
  started->started(*id);
  return 0;
}

// The destructor of a context joins the thread that resolves names.
int __real_pthread_join(pthread_t, void**);
int __wrap_pthread_join(pthread_t id, void** result) {
  if (kernel* const in = kernel::installed()) wait_for_end(*in, id, nullptr);
  return __real_pthread_join(id, result);
}

int __real_pthread_cond_wait(pthread_cond_t*, pthread_mutex_t*);
int __wrap_pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  kernel* const in = kernel::installed();
  if (!in) return __real_pthread_cond_wait(condition, mutex);
  if (!in->threads().current())
    throw std::logic_error("a call of pthread_cond_wait() waits on a thread that must not");
  in->threads().wait(condition, mutex);
  return 0;
}

int __real_pthread_cond_signal(pthread_cond_t*);
int __wrap_pthread_cond_signal(pthread_cond_t* condition) {
  kernel* const in = kernel::installed();
  if (!in) return __real_pthread_cond_signal(condition);
  in->threads().signal(condition, false);
  return 0;
}

int __real_pthread_cond_broadcast(pthread_cond_t*);
int __wrap_pthread_cond_broadcast(pthread_cond_t* condition) {
  kernel* const in = kernel::installed();
  if (!in) return __real_pthread_cond_broadcast(condition);
  in->threads().signal(condition, true);
  return 0;
}

// std::stop_source waits by a futex for a stop callback that another thread runs. No program of a
// history has stop callbacks, so nothing waits, and nothing is to be woken.
long __real_syscall(long, ...);
long __wrap_syscall(long number, const int* address, long operation, long value, void* timeout) {
  if (!kernel::installed()) return __real_syscall(number, address, operation, value, timeout);
  if (number != SYS_futex || (operation & FUTEX_CMD_MASK) != FUTEX_WAKE)
    throw std::logic_error("the kernel has no system call " + std::to_string(number));
  return 0;
}

int __real_pthread_mutex_lock(pthread_mutex_t*);
int __wrap_pthread_mutex_lock(pthread_mutex_t* mutex) {
  const int error = __real_pthread_mutex_lock(mutex);
  if (error == 0) ++held_mutexes;
  return error;
}

int __real_pthread_mutex_unlock(pthread_mutex_t*);
int __wrap_pthread_mutex_unlock(pthread_mutex_t* mutex) {
  --held_mutexes;
  return __real_pthread_mutex_unlock(mutex);
}

} // extern "C"
