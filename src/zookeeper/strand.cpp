#include "zookeeper/strand.hpp"

#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>

#include <cstddef>
#include <exception>
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
  // Whether the runner runs only the submitted function inline.
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

/// The state that all copies of a strand share.
///
/// Invariant: `busy_` is set from the submission of a runner until the runner finds no task. So two
/// runners are never submitted or running, and there is a runner while there are tasks.
class strand::core {
 public:
  explicit core(const asio::any_io_executor& inner)
      : at_once(asio::prefer(inner, asio::execution::blocking.possibly)),
        later(asio::require(inner, asio::execution::blocking.never)) {}

  ~core() { drop_all(); }

  /// Adds a task. Returns whether a runner must be submitted.
  bool add(task& added) {
    const std::lock_guard lock(mutex_);
    *end_ = &added;
    end_ = &added.next;
    return !std::exchange(busy_, true);
  }

  /// Returns the next task. Without a task, returns null and clears `busy_`.
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
    // Bounds a run, so that the executor's other handlers run in between.
    constexpr std::size_t at_a_time = 64;
    for (std::size_t i = 1;; ++i) {
      task* const next = running->take();
      if (!next) return;
      try {
        next->run();
      } catch (...) {
        // The exception leaves the executor, like the exception of any handler.
        submit_again(running);
        throw;
      }
      if (alone && running->end_if_idle()) return;
      if (alone || i % at_a_time == 0) return submit_again(running);
    }
  }

 private:
  static void submit_again(const std::shared_ptr<core>& running) noexcept {
    const entered here(running.get(), false, false);
    running->later.execute(runner(running));
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
  if (!shared->add(added)) return;
  const entered here(shared.get(), false, alone);
  try {
    (never_ ? shared->later : shared->at_once).execute(runner(shared));
  } catch (...) {
    // A runner that has begun passes on the exception of a function that ran inline.
    if (!here.begun()) std::terminate();
    throw;
  }
}

} // namespace zklock::zookeeper
