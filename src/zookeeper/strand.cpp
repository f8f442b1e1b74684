#include "zookeeper/strand.hpp"

#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>

#include <cstddef>
#include <mutex>

namespace zklock::zookeeper {

namespace asio = boost::asio;

namespace {

// The nested calls of strands on this thread, from the innermost outwards.
struct frame {
  const void* strand;
  // True while a function of the strand runs; false while a runner is submitted, which may run
  // inline.
  bool running;
  // Whether the runner runs no more than one function inline.
  bool alone;
  bool begun;
  frame* outer;
};
thread_local frame* innermost = nullptr;

class entered {
 public:
  entered(const void* strand, bool running, bool alone) noexcept
      : frame_{strand, running, alone, false, innermost} {
    innermost = &frame_;
  }
  ~entered() { innermost = frame_.outer; }
  entered(const entered&) = delete;
  entered& operator=(const entered&) = delete;

  bool begun() const noexcept { return frame_.begun; }

 private:
  frame frame_;
};

frame* find_frame(const void* strand, bool running) noexcept {
  frame* each = innermost;
  while (each && (each->strand != strand || each->running != running))
    each = each->outer;
  return each;
}

} // namespace

/// The state that all copies of a strand share. `busy_` is set from the submission of a runner
/// until a runner finds no task. So at most one runner is submitted or running.
class strand::core {
 public:
  explicit core(const asio::any_io_executor& inner)
      : at_once(asio::prefer(inner, asio::execution::blocking.possibly)),
        later(asio::require(inner, asio::execution::blocking.never)) {}

  ~core() { drop_all(); }

  enum class needs { nothing, runner, runner_of_earlier_tasks };

  /// Adds a task. Returns whether a runner must be submitted, which may have to run others first:
  /// a runner that failed has left them.
  needs add(task& added) {
    const std::lock_guard lock(mutex_);
    const bool first = !first_;
    *end_ = &added;
    end_ = &added.next;
    if (std::exchange(busy_, true)) return needs::nothing;
    return first ? needs::runner : needs::runner_of_earlier_tasks;
  }

  /// Removes a task that has not run, since no runner could be submitted.
  void withdraw(task& added) noexcept {
    const std::lock_guard lock(mutex_);
    busy_ = false;
    for (task** each = &first_; *each; each = &(*each)->next) {
      if (*each != &added) continue;
      *each = added.next;
      if (!*each) end_ = each;
      return added.drop();
    }
  }

  /// Returns the next task. Without one, returns null and clears `busy_`.
  task* take() noexcept {
    const std::lock_guard lock(mutex_);
    task* const taken = first_;
    if (!taken) {
      busy_ = false;
      return nullptr;
    }
    first_ = taken->next;
    if (!first_) end_ = &first_;
    return taken;
  }

  /// Clears `busy_` if there is no task. Returns whether there is none.
  bool end_if_idle() noexcept {
    const std::lock_guard lock(mutex_);
    if (first_) return false;
    busy_ = false;
    return true;
  }

  /// Clears `busy_` while there may be tasks: the next added task submits a runner.
  void clear_busy() noexcept {
    const std::lock_guard lock(mutex_);
    busy_ = false;
  }

  void drop_all() noexcept {
    while (task* const dropped = take())
      dropped->drop();
  }

  const asio::any_io_executor at_once;
  const asio::any_io_executor later;

 private:
  std::mutex mutex_;
  task* first_ = nullptr;
  task** end_ = &first_;
  bool busy_ = false;
};

/// Runs the queued tasks. A submitted runner is destroyed without being called only if its
/// execution context is destroyed: the tasks are dropped then.
class strand::runner {
 public:
  explicit runner(std::shared_ptr<core> shared) noexcept : core_(std::move(shared)) {}

  runner(runner&&) noexcept = default;
  runner& operator=(runner&&) = delete;

  ~runner() {
    if (core_ && !find_frame(core_.get(), false)) core_->drop_all();
  }

  void operator()() {
    const auto running = std::move(core_);
    frame* const submitting = find_frame(running.get(), false);
    if (submitting) submitting->begun = true;
    const bool alone = submitting && submitting->alone;
    const entered here(running.get(), true, alone);
    // Bounds one run, so that other handlers of the executor run in between.
    constexpr std::size_t at_a_time = 64;
    for (std::size_t i = 1;; ++i) {
      task* const next = running->take();
      if (!next) return;
      try {
        next->run();
      } catch (...) {
        // The exception leaves the executor, like that of any handler.
        if (!resubmitted(running)) running->clear_busy();
        throw;
      }
      if (alone && running->end_if_idle()) return;
      if ((alone || i % at_a_time == 0) && resubmitted(running)) return;
    }
  }

 private:
  static bool resubmitted(const std::shared_ptr<core>& running) noexcept {
    const entered here(running.get(), false, false);
    try {
      running->later.execute(runner(running));
      return true;
    } catch (...) {
      return false;
    }
  }

  std::shared_ptr<core> core_;
};

std::shared_ptr<strand::core> strand::make_core(const asio::any_io_executor& inner) {
  return std::make_shared<core>(inner);
}

asio::execution_context& strand::query(asio::execution::context_t) const noexcept {
  return asio::query(core_->later, asio::execution::context);
}

asio::execution::blocking_t strand::query(asio::execution::blocking_t) const noexcept {
  return never_ ? asio::execution::blocking_t(asio::execution::blocking.never)
                : asio::execution::blocking_t(asio::execution::blocking.possibly);
}

const asio::any_io_executor& strand::get_inner_executor() const noexcept {
  return core_->later;
}

bool strand::running_in_this_thread() const noexcept {
  return find_frame(core_.get(), true) != nullptr;
}

bool strand::running_alone() const noexcept {
  const frame* const running = find_frame(core_.get(), true);
  return running && running->alone;
}

void strand::submit(task& added, bool alone) const {
  const auto shared = core_;
  const auto needed = shared->add(added);
  if (needed == core::needs::nothing) return;
  const bool later = never_ || (alone && needed == core::needs::runner_of_earlier_tasks);
  const entered here(shared.get(), false, alone);
  try {
    (later ? shared->later : shared->at_once).execute(runner(shared));
  } catch (...) {
    // If the runner has begun, the exception is that of a function which ran inline.
    if (!here.begun()) shared->withdraw(added);
    throw;
  }
}

} // namespace zklock::zookeeper
