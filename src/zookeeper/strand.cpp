#include "zookeeper/strand.hpp"

#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>

#include <cstddef>
#include <mutex>

namespace zklock::zookeeper {

namespace asio = boost::asio;

namespace {

// What this thread does with strands, the innermost first.
struct frame {
  const void* strand;
  // It runs a function of the strand; or else it hands a runner over, which may be run at once.
  bool running;
  bool begun;
  frame* outer;
};
thread_local frame* innermost = nullptr;

class entered {
 public:
  entered(const void* strand, bool running) noexcept : frame_{strand, running, false, innermost} {
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

/// What all copies of a strand share. It is `busy` from when a runner is about to be handed over
/// until one finds nothing to run: at most one runner is on its way or runs.
class strand::core {
 public:
  explicit core(const asio::any_io_executor& inner)
      : at_once(asio::prefer(inner, asio::execution::blocking.possibly)),
        later(asio::require(inner, asio::execution::blocking.never)) {}

  ~core() { drop_all(); }

  /// Returns whether a runner must be handed over.
  bool add(task& added) {
    const std::lock_guard lock(mutex_);
    *end_ = &added;
    end_ = &added.next;
    return !std::exchange(busy_, true);
  }

  /// A runner could not be handed over. Takes a task out again that has not run.
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

  /// The next task; null where there is none, and the strand is busy no more.
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

  /// No runner comes, though there may be tasks: the next that is added brings one.
  void rest() noexcept {
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

/// Runs what waits. One that is destroyed without being run, and was handed over, was in a context
/// that is gone.
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
    if (frame* const handing_over = find_frame(running.get(), false)) handing_over->begun = true;
    const entered here(running.get(), true);
    // Others on the executor get their turn after so many.
    constexpr std::size_t at_a_time = 64;
    for (std::size_t i = 1;; ++i) {
      task* const next = running->take();
      if (!next) return;
      try {
        next->run();
      } catch (...) {
        // It leaves the executor as from any handler.
        if (!passed_on(running)) running->rest();
        throw;
      }
      if (i % at_a_time == 0 && passed_on(running)) return;
    }
  }

 private:
  static bool passed_on(const std::shared_ptr<core>& running) noexcept {
    const entered here(running.get(), false);
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

bool strand::running_in_this_thread() const noexcept {
  return find_frame(core_.get(), true) != nullptr;
}

void strand::hand_over(task& added) const {
  const auto shared = core_;
  if (!shared->add(added)) return;
  const entered here(shared.get(), false);
  try {
    (never_ ? shared->later : shared->at_once).execute(runner(shared));
  } catch (...) {
    // What is thrown by a function that was run at once goes on its way.
    if (!here.begun()) shared->withdraw(added);
    throw;
  }
}

} // namespace zklock::zookeeper
