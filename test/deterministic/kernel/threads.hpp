#pragma once

#include "deterministic/kernel/clock.hpp"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

#include <functional>
#include <memory>
#include <vector>

namespace deterministic {

class process;

/// A real thread of a simulated process. It runs only while the main thread waits for it.
class thread {
 public:
  explicit thread(process* owner) noexcept;
  ~thread();
  thread(const thread&) = delete;
  thread& operator=(const thread&) = delete;

  process* owner() const noexcept { return owner_; }
  bool is_finished() const noexcept { return finished_; }

  /// Lets the thread run when its turn comes.
  void wake() noexcept { ready_ = true; }
  /// Needs no turn after the present turn until it is woken.
  void rest() noexcept { ready_ = false; }

  /// Turns of the thread do not wake its process, unless the thread says so.
  void wakes_by_itself() noexcept { wakes_by_itself_ = true; }

  /// A call inside of a function of the thread takes long.
  bool is_stalled() const noexcept { return stalled_; }
  /// Counts the calls of poll() that did not block, since the last call that did.
  std::size_t polled(bool blocks) noexcept { return polls_ = blocks ? 0 : polls_ + 1; }

  /// When it went on after the last such call.
  time_point went_on() const noexcept { return went_on_; }

 private:
  friend class threads;

  process* const owner_;
  pthread_t id_{};
  sem_t turn_;
  bool ready_ = true;
  bool finished_ = false;
  bool wakes_by_itself_ = false;
  bool stalled_ = false;
  std::size_t polls_ = 0;
  time_point went_on_{0};
  const void* awaited_ = nullptr;
};

/// Keeps the calling thread, and the threads that it starts, on one processor: a turn then takes
/// half of the time that a turn takes where an idle processor has to be woken.
class single_processor {
 public:
  single_processor() noexcept;
  ~single_processor();
  single_processor(const single_processor&) = delete;
  single_processor& operator=(const single_processor&) = delete;

 private:
  cpu_set_t before_{};
};

/// The threads of all processes. At most one thread of the program runs at any time: a turn ends in
/// a simulated call that blocks.
class threads {
 public:
  threads();
  ~threads();
  threads(const threads&) = delete;
  threads& operator=(const threads&) = delete;

  /// The thread that is running; null for the main thread.
  thread* current() const noexcept { return current_; }

  /// Adds a thread. It must call `enter` first and `leave` last.
  std::shared_ptr<thread> add(process* owner);
  void set_id(thread& which, pthread_t id) noexcept { which.id_ = id; }
  void enter(thread& which);
  void leave(thread& which);

  /// A thread that has not finished; null if there is none of that number.
  std::shared_ptr<thread> find(pthread_t id) const;
  bool any_of(const process& owner) const noexcept;
  bool any() const noexcept { return !all_.empty(); }

  /// Gives a turn to a thread that is ready. Returns false without such a thread. Only for the main
  /// thread.
  bool run_one();
  /// Gives a turn to a thread if it is ready.
  bool run(thread& which);

  /// Ends the turn of the current thread until it is woken.
  void block();
  /// Ends the turn of the current thread.
  void yield();
  /// A function of the current thread takes that long.
  void stall_until(clock& time, time_point when);
  /// Ends the turn of the current thread until some time.
  void sleep_until(clock& time, time_point when);

  /// pthread_cond_wait() and its counterparts. A condition is known by its address.
  void wait(const void* condition, pthread_mutex_t* mutex);
  void signal(const void* condition, bool all) noexcept;

 private:
  single_processor processor_;
  std::vector<std::shared_ptr<thread>> all_;
  thread* current_ = nullptr;
  sem_t main_turn_;
};

} // namespace deterministic
