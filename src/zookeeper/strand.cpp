#include "zookeeper/strand.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>

#include <cstddef>
#include <exception>
#include <mutex>

namespace zklock::zookeeper {

namespace asio = boost::asio;

namespace {

// Bounds a run, so that the executor's other handlers run in between.
constexpr std::size_t at_a_time = 64;

} // namespace

constinit thread_local strand::frame* strand::innermost = nullptr;
constinit thread_local strand::ending* strand::innermost_ending = nullptr;

/// A frame for the time of a scope.
class strand::entered {
 public:
  entered(const void* strand, bool running, bool alone) noexcept
      : frame_{strand, running, alone, false, false, false, nullptr, innermost} {
    innermost = &frame_;
  }
  ~entered() { innermost = frame_.outer; }
  entered(const entered&) = delete;
  entered& operator=(const entered&) = delete;

  bool begun() const noexcept { return frame_.begun; }

 private:
  frame frame_;
};

strand::frame* strand::find_frame(const void* strand, bool running) noexcept {
  frame* each = innermost;
  while (each && (each->strand != strand || each->running != running))
    each = each->outer;
  return each;
}

/// The state that all copies of a strand share.
///
/// Invariant: `busy_` is set from the submission of a runner, or from an entrance, until the runner
/// or the entrance finds no task. So a runner and an entrance never exist at a time, nor two
/// runners, nor two entrances; and while there are tasks, a runner or an entrance exists.
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

  /// Sets `busy_` for an entrance, if this thread runs the `io_context` of the strand and `busy_`
  /// is not set. Returns whether it is set for the entrance.
  bool enter() noexcept {
    if (!context_ || !context_->running_in_this_thread()) return false;
    const std::lock_guard lock(mutex_);
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

  /// Has the executor run a task outside the strand.
  void post(task& one) const {
    later.execute(
        [owned = std::unique_ptr<task, dropper>(&one)]() mutable { owned.release()->run(); });
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
  struct dropper {
    void operator()(task* one) const noexcept { one->drop(); }
  };

  // Null on another kind of executor.
  const asio::io_context::executor_type* const context_ =
      at_once.target<asio::io_context::executor_type>();
  std::mutex mutex_;
  task* first_ = nullptr;
  task** end_ = &first_;
  bool busy_ = false;
};

/// Runs the queued tasks. A submitted runner is destroyed without being called only if its
/// execution context is destroyed, perhaps inside the call that submits it: the tasks are dropped
/// then.
class strand::runner {
 public:
  explicit runner(std::shared_ptr<core> shared) noexcept : core_(std::move(shared)) {}

  runner(runner&&) noexcept = default;
  runner& operator=(runner&&) = delete;

  ~runner() {
    if (core_) core_->drop_all();
  }

  void operator()() {
    const auto running = std::move(core_);
    frame* const submitting = find_frame(running.get(), false);
    if (submitting) submitting->begun = true;
    const bool alone = submitting && submitting->alone;
    const entered here(running.get(), true, alone);
    run(running, alone ? 1 : at_a_time);
  }

  /// Runs `most` tasks at most, and submits a runner for the tasks behind.
  static void run(const std::shared_ptr<core>& running, std::size_t most) {
    for (; most != 0; --most) {
      task* const next = running->take();
      if (!next) return;
      try {
        next->run();
      } catch (...) {
        // The exception leaves the executor, like the exception of any handler.
        submit_again(running);
        throw;
      }
    }
    if (!running->end_if_idle()) submit_again(running);
  }

  static void submit_again(const std::shared_ptr<core>& running) noexcept {
    const entered here(running.get(), false, false);
    running->later.execute(runner(running));
  }

 private:
  std::shared_ptr<core> core_;
};

/// Runs the last function of a call of the reactor, and the function after it.
class strand::ended {
 public:
  ended(const std::shared_ptr<core>& left, bool is_crowded) noexcept
      : core_(left), ending_{left.get(), is_crowded, nullptr, innermost_ending} {
    innermost_ending = &ending_;
  }
  // The last function may have thrown.
  ~ended() {
    innermost_ending = ending_.outer;
    if (ending_.after) strand(core_, true, false).submit(*ending_.after, false);
  }
  ended(const ended&) = delete;
  ended& operator=(const ended&) = delete;

  void run(task& last) {
    last.run();
    if (ending_.after)
      strand(core_, false, false).submit(*std::exchange(ending_.after, nullptr), false);
  }

 private:
  const std::shared_ptr<core>& core_;
  ending ending_;
};

strand::entrance::entrance(std::shared_ptr<core> into, bool alone, bool is_of_reactor)
    : frame_{into.get(), true, alone, false, is_of_reactor, false, nullptr, innermost} {
  if (!into->enter()) return;
  core_ = std::move(into);
  is_inside_ = true;
  innermost = &frame_;
}

strand::entrance::~entrance() {
  if (is_inside_) exit();
  if (core_ && !leaves_) runner::submit_again(core_);
  if (frame_.last) core_->post(*frame_.last);
}

void strand::entrance::exit() noexcept {
  is_inside_ = false;
  innermost = frame_.outer;
}

void strand::entrance::leave() {
  leaves_ = true;
  runner::run(core_, frame_.alone ? 0 : at_a_time);
  exit();
  if (frame_.last) ended(core_, frame_.is_crowded).run(*std::exchange(frame_.last, nullptr));
}

// Where a frame is inside the frame of the reactor's call, the function that asks runs in a call of
// the program, or on another strand.
strand::task** strand::last_place(const asio::any_io_executor& home) noexcept {
  frame* const now = innermost;
  if (!now || !now->is_of_reactor || static_cast<const core*>(now->strand)->later != home)
    return nullptr;
  if (!now->last) return &now->last;
  now->is_crowded = true;
  return nullptr;
}

strand::task** strand::place_after_last() const noexcept {
  ending* const now = innermost_ending;
  const bool may = now && now->of == core_.get() && !now->is_crowded && !now->after;
  return may ? &now->after : nullptr;
}

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
