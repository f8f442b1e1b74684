#pragma once

#include "support/recycled_memory.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/execution/context.hpp>

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace zklock::zookeeper {

/// An executor like `asio::strand`: runs functions on an inner executor, never two at a time, in
/// the order of their submission.
///
/// `asio::strand` has no counterpart to `execute_alone`: where it runs a function inline, it goes
/// on with the functions that were posted meanwhile. And on an `any_io_executor`, which is the
/// executor of a client, it takes four times as many instructions for a posted function.
///
/// The destruction of the execution context destroys the functions that have not run.
class strand {
 public:
  /// Constrained to `any_io_executor`: a conversion would check whether a strand is an executor,
  /// which would be recursive.
  template <std::same_as<boost::asio::any_io_executor> Executor>
  explicit strand(const Executor& inner) : core_(make_core(inner)) {}

  boost::asio::execution_context& query(boost::asio::execution::context_t) const noexcept;
  boost::asio::execution::blocking_t query(boost::asio::execution::blocking_t) const noexcept;
  strand require(boost::asio::execution::blocking_t::never_t) const noexcept {
    return {core_, true, is_of_reactor_};
  }
  strand require(boost::asio::execution::blocking_t::possibly_t) const noexcept {
    return {core_, false, is_of_reactor_};
  }

  /// Runs a function. Runs it inline if this thread is running a function of the strand.
  template <class Function>
  void execute(Function&& function) const;

  /// Like `execute`, for a caller that is no handler of the executor: where the function runs
  /// inline, no other function of the strand runs inside this call.
  template <class Function>
  void execute_alone(Function&& function) const;

  /// The strand as the executor of an object of the reactor. The reactor calls the functions of its
  /// objects itself, never inside a function of the program: such a call may end with a function of
  /// the program, see `run_last`.
  strand of_reactor() const noexcept { return {core_, never_, true}; }

  /// Makes a function that runs on this thread as soon as the strand is left, at the end of the
  /// reactor's call: for the program, this is as if the function was posted to `home`, the inner
  /// executor. Returns false, without effect, where `home` is another executor, where this thread
  /// is not in such a call, or where that call has a last function already.
  template <class Function, class... Args>
  static bool run_last(const boost::asio::any_io_executor& home, Args&&... args);

  /// Runs a function on the strand once the last function of a call of the reactor has returned, if
  /// that function is running on this thread. Returns false, without effect, if it is not, or if
  /// further functions were posted in its call.
  template <class Function>
  bool run_after_last(Function function) const;

  /// Returns whether this thread is running a function inside a call of `execute_alone`.
  bool running_alone() const noexcept;

  /// The inner executor. Its functions never run inline.
  const boost::asio::any_io_executor& get_inner_executor() const noexcept;

  /// Returns whether this thread is running a function of the strand.
  bool running_in_this_thread() const noexcept;

  friend bool operator==(const strand& a, const strand& b) noexcept { return a.core_ == b.core_; }
  friend bool operator!=(const strand& a, const strand& b) noexcept { return a.core_ != b.core_; }

 private:
  /// A queued function.
  class task {
   public:
    virtual void run() = 0;
    virtual void drop() noexcept = 0;
    task* next = nullptr;

   protected:
    ~task() = default;
  };
  template <class Function>
  class task_of;
  class core;
  class runner;
  class entrance;

  /// A call of a strand on this thread.
  struct frame {
    const void* strand;
    /// True while a function of the strand runs; false while a runner is submitted, which may run
    /// inline.
    bool running;
    /// Whether only the submitted function runs inline.
    bool alone;
    bool begun;
    /// Whether the reactor has called the function that runs.
    bool is_of_reactor;
    /// Whether further functions were posted than the last function.
    bool is_crowded;
    task* last;
    frame* outer;
  };
  class entered;

  /// The last function of a call of the reactor, while it runs.
  struct ending {
    const core* of;
    bool is_crowded;
    /// The function that follows.
    task* after;
    ending* outer;
  };
  class ended;

  strand(std::shared_ptr<core> shared, bool never, bool is_of_reactor) noexcept
      : core_(std::move(shared)), never_(never), is_of_reactor_(is_of_reactor) {}

  static std::shared_ptr<core> make_core(const boost::asio::any_io_executor& inner);
  static frame* find_frame(const void* strand, bool running) noexcept;
  template <class Function>
  void execute(Function&& function, bool alone) const;
  void submit(task& added, bool alone) const;
  static task** last_place(const boost::asio::any_io_executor& home) noexcept;
  task** place_after_last() const noexcept;

  // The calls that are under way on this thread, from the innermost outwards.
  static thread_local frame* innermost;
  static thread_local ending* innermost_ending;

  std::shared_ptr<core> core_;
  bool never_ = false;
  bool is_of_reactor_ = false;
};

/// A task in memory that the thread recycles.
template <class Function>
class strand::task_of final : public task {
 public:
  using allocator = detail::recycling_allocator<task_of>;

  template <class... Args>
  static task_of& make(Args&&... args) {
    return *std::construct_at(allocator().allocate(1), std::in_place, std::forward<Args>(args)...);
  }

  template <class... Args>
  explicit task_of(std::in_place_t, Args&&... args) : function_(std::forward<Args>(args)...) {}

  void run() override {
    auto function = std::move(function_);
    drop();
    function();
  }

  void drop() noexcept override {
    std::destroy_at(this);
    allocator().deallocate(this, 1);
  }

 private:
  Function function_;
};

/// Enters a strand that is idle, on a thread that runs its `io_context`: a function of the strand
/// then runs on the stack of the caller, without memory for a task and without a type-erased call.
class strand::entrance {
 public:
  entrance(std::shared_ptr<core> into, bool alone, bool is_of_reactor);

  /// After an exception, the executor runs the functions that wait.
  ~entrance();

  entrance(const entrance&) = delete;
  entrance& operator=(const entrance&) = delete;

  /// Whether the strand is entered.
  explicit operator bool() const noexcept { return core_ != nullptr; }

  /// Runs the functions that were submitted meanwhile, or submits a runner for them. Then leaves
  /// the strand, and runs the last function.
  void leave();

 private:
  void exit() noexcept;

  std::shared_ptr<core> core_;
  frame frame_;
  bool is_inside_ = false;
  bool leaves_ = false;
};

template <class Function>
void strand::execute(Function&& function) const {
  execute(std::forward<Function>(function), false);
}

template <class Function>
void strand::execute_alone(Function&& function) const {
  execute(std::forward<Function>(function), true);
}

template <class Function>
void strand::execute(Function&& function, bool alone) const {
  std::decay_t<Function> own(std::forward<Function>(function));
  if (!never_) {
    if (running_in_this_thread()) return own();
    if (entrance inside{core_, alone, is_of_reactor_}) {
      own();
      return inside.leave();
    }
  }
  submit(task_of<std::decay_t<Function>>::make(std::move(own)), alone);
}

template <class Function, class... Args>
bool strand::run_last(const boost::asio::any_io_executor& home, Args&&... args) {
  task** const place = last_place(home);
  if (place) *place = &task_of<Function>::make(std::forward<Args>(args)...);
  return place != nullptr;
}

template <class Function>
bool strand::run_after_last(Function function) const {
  task** const place = place_after_last();
  if (place) *place = &task_of<Function>::make(std::move(function));
  return place != nullptr;
}

} // namespace zklock::zookeeper
