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
    return {core_, true};
  }
  strand require(boost::asio::execution::blocking_t::possibly_t) const noexcept {
    return {core_, false};
  }

  /// Runs a function. Runs it inline if this thread is running a function of the strand.
  template <class Function>
  void execute(Function&& function) const;

  /// Like `execute`, for a caller that is no handler of the executor: where the function runs
  /// inline, no other function of the strand runs inside this call.
  template <class Function>
  void execute_alone(Function&& function) const;

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

  strand(std::shared_ptr<core> shared, bool never) noexcept
      : core_(std::move(shared)), never_(never) {}

  static std::shared_ptr<core> make_core(const boost::asio::any_io_executor& inner);
  void submit(task& added, bool alone) const;

  std::shared_ptr<core> core_;
  bool never_ = false;
};

/// A task in memory that the thread recycles.
template <class Function>
class strand::task_of final : public task {
 public:
  using allocator = detail::recycling_allocator<task_of>;

  static task_of& make(Function&& function) {
    return *std::construct_at(allocator().allocate(1), std::move(function));
  }

  explicit task_of(Function&& function) : function_(std::move(function)) {}

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

template <class Function>
void strand::execute(Function&& function) const {
  std::decay_t<Function> own(std::forward<Function>(function));
  if (!never_ && running_in_this_thread()) return own();
  submit(task_of<std::decay_t<Function>>::make(std::move(own)), false);
}

template <class Function>
void strand::execute_alone(Function&& function) const {
  std::decay_t<Function> own(std::forward<Function>(function));
  if (running_in_this_thread()) return own();
  submit(task_of<std::decay_t<Function>>::make(std::move(own)), true);
}

} // namespace zklock::zookeeper
