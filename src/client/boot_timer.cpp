#include "client/boot_timer.hpp"

#include "support/timer_descriptor.hpp"
#include "zookeeper/process.hpp"

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/wait_traits.hpp>
#include <boost/intrusive/set.hpp>
#include <boost/system/error_code.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

namespace zklock::detail {

namespace asio = boost::asio;

/// The timers of an execution context, with a descriptor for the earliest time. If no descriptor
/// can be made, an Asio timer, which stands still while the machine is suspended, polls the clock.
/// Any thread. Invariant: while a timer waits, a wait is under way that ends no later than the
/// earliest time.
class boot_timers : public std::enable_shared_from_this<boot_timers> {
 public:
  /// Returns the timers of the context.
  static std::shared_ptr<boot_timers> of(asio::execution_context& context);

  explicit boot_timers(asio::execution_context& context);

  void set(boot_timer& timer, boot_clock::time_point time);
  void remove(boot_timer& timer) noexcept;

  /// The execution context is being destroyed.
  void stop() noexcept;

  /// The execution context was notified of a fork, in the child.
  void forked();

  asio::execution_context& context() const noexcept { return context_; }

 private:
  // Runs a function in the thread that completes an operation: no strand of the program may delay
  // the timers of its other strands.
  struct inline_executor {
    asio::execution_context* context;

    asio::execution_context& query(asio::execution::context_t) const noexcept { return *context; }
    // From Boost 1.82 on, Asio wants the type of the result, and posts to the context all the same.
    inline_executor require(asio::execution::blocking_t::never_t) const noexcept { return *this; }
    template <class Function>
    void execute(Function&& function) const {
      std::forward<Function>(function)();
    }
    bool operator==(const inline_executor&) const noexcept = default;
  };
  using steady_timer =
      asio::basic_waitable_timer<std::chrono::steady_clock,
                                 asio::wait_traits<std::chrono::steady_clock>, inline_executor>;

  // The I/O objects of the execution context.
  struct devices {
    explicit devices(const inline_executor& executor)
        : descriptor(executor), substitute(executor) {}

    void open();

    asio::posix::basic_stream_descriptor<inline_executor> descriptor;
    steady_timer substitute;
  };

  struct earlier {
    bool operator()(const boot_timer& a, const boot_timer& b) const noexcept {
      return a.time_ < b.time_;
    }
  };
  using by_hook =
      boost::intrusive::member_hook<boot_timer, decltype(boot_timer::hook_), &boot_timer::hook_>;

  void unlink(boot_timer& timer) noexcept;
  void arm();
  void wait(boot_clock::time_point until);
  void cancel_wait() noexcept;
  void look(std::uint64_t wait);

  asio::execution_context& context_;
  std::mutex mutex_;
  zookeeper::process_mark process_;
  // Gone with the execution context.
  std::unique_ptr<devices> devices_;
  boost::intrusive::multiset<boot_timer, by_hook, boost::intrusive::compare<earlier>,
                             boost::intrusive::constant_time_size<false>>
      by_time_;
  // When the wait ends; the clock's maximum if no wait is under way.
  boot_clock::time_point awaited_ = boot_clock::time_point::max();
  // The number of the current wait: the handler of an earlier, cancelled wait may still run.
  std::uint64_t wait_ = 0;
};

namespace {

// How long a timer of Asio may run without a look at `boot_clock`.
constexpr std::chrono::milliseconds longest_substitute{100};

class boot_timer_service final : public asio::execution_context::service {
 public:
  static asio::execution_context::id id;

  explicit boot_timer_service(asio::execution_context& context)
      : service(context), timers(std::make_shared<boot_timers>(context)) {}

  const std::shared_ptr<boot_timers> timers;

 private:
  void shutdown() override { timers->stop(); }
  void notify_fork(asio::execution_context::fork_event event) override {
    if (event == asio::execution_context::fork_child) timers->forked();
  }
};

asio::execution_context::id boot_timer_service::id;

} // namespace

std::shared_ptr<boot_timers> boot_timers::of(asio::execution_context& context) {
  return asio::use_service<boot_timer_service>(context).timers;
}

// The devices create their services before this service is added, so their services outlive it.
boot_timers::boot_timers(asio::execution_context& context)
    : context_(context), devices_(std::make_unique<devices>(inline_executor{&context})) {}

void boot_timers::set(boot_timer& timer, boot_clock::time_point time) {
  const std::lock_guard lock(mutex_);
  unlink(timer);
  // The child of a fork shares the descriptor.
  if (!devices_ || !process_.is_current()) return;
  timer.time_ = time;
  if (time != time.max()) by_time_.insert(timer);
  arm();
}

void boot_timers::remove(boot_timer& timer) noexcept {
  const std::lock_guard lock(mutex_);
  if (!timer.hook_.is_linked()) return;
  unlink(timer);
  if (by_time_.empty()) cancel_wait();
}

void boot_timers::unlink(boot_timer& timer) noexcept {
  if (timer.hook_.is_linked()) by_time_.erase(by_time_.iterator_to(timer));
}

// An io_context of Boost 1.90 shuts its services down twice. Unless the context was notified,
// the child of a fork also shares the reactor: closing the descriptor would cancel the parent's
// registration.
void boot_timers::stop() noexcept {
  const std::lock_guard lock(mutex_);
  if (!devices_) return;
  by_time_.clear();
  if (devices_->descriptor.is_open() && !process_.is_current())
    zookeeper::disown(devices_->descriptor.native_handle());
  devices_.reset();
}

// The reactor is the child's own by now, and has registered the descriptor that the child shares
// with the parent.
void boot_timers::forked() {
  const std::lock_guard lock(mutex_);
  if (!devices_) return;
  process_ = {};
  cancel_wait();
  boost::system::error_code ignored;
  devices_->descriptor.close(ignored);
  arm();
}

// A timer that moves to a later time leaves the descriptor as it is: the proven time of holds grows
// all the time, so most moves need no system call.
void boot_timers::arm() {
  if (by_time_.empty()) return cancel_wait();
  const auto earliest = by_time_.begin()->time_;
  if (earliest < awaited_) wait(earliest);
}

void boot_timers::wait(boot_clock::time_point until) {
  const bool waits = awaited_ != awaited_.max();
  awaited_ = until;
  devices& by = *devices_;
  if (!by.descriptor.is_open()) by.open();
  if (by.descriptor.is_open()) {
    set_timer_descriptor(by.descriptor.native_handle(), until);
    if (waits) return;
  } else {
    by.substitute.expires_after(
        std::min<boot_clock::duration>(until - boot_clock::now(), longest_substitute));
  }
  auto ended = [weak = weak_from_this(), number = ++wait_](boost::system::error_code) {
    if (const auto self = weak.lock()) self->look(number);
  };
  if (by.descriptor.is_open())
    by.descriptor.async_wait(asio::posix::descriptor_base::wait_read, std::move(ended));
  else
    by.substitute.async_wait(std::move(ended));
}

void boot_timers::cancel_wait() noexcept {
  if (awaited_ == awaited_.max()) return;
  awaited_ = awaited_.max();
  ++wait_;
  boost::system::error_code ignored;
  devices_->descriptor.cancel(ignored);
  devices_->substitute.cancel();
}

void boot_timers::look(std::uint64_t wait) {
  std::vector<std::shared_ptr<boot_timer>> due;
  {
    const std::lock_guard lock(mutex_);
    if (wait != wait_ || !devices_) return;
    awaited_ = awaited_.max();
    const auto now = boot_clock::now();
    while (!by_time_.empty() && by_time_.begin()->time_ <= now) {
      boot_timer& first = *by_time_.begin();
      by_time_.erase(by_time_.begin());
      if (auto found = first.weak_from_this().lock()) due.push_back(std::move(found));
    }
    arm();
  }
  for (const auto& each : due)
    each->expired();
}

void boot_timers::devices::open() {
  auto made = make_timer_descriptor();
  if (made.get() < 0) return;
  boost::system::error_code error;
  descriptor.assign(made.get(), error);
  if (!error) made.release();
}

void boot_timer::prepare(asio::execution_context& context) {
  boot_timers::of(context);
}

boot_timer::boot_timer(const asio::any_io_executor& executor)
    : all_(boot_timers::of(asio::query(executor, asio::execution::context))) {}

boot_timer::~boot_timer() {
  all_->remove(*this);
}

void boot_timer::expires_at(boot_clock::time_point time) {
  all_->set(*this, time);
}

boot_timer_link::boot_timer_link(const std::shared_ptr<boot_timer>& timer)
    : context_(&timer->all_->context()),
      guard_(context_guard::of(timer->all_->context())),
      timer_(timer) {}

// The last reference to a timer, which may have a strand of the program, is released inside, too.
void boot_timer_link::expire() const {
  const auto inside = guard_->enter();
  if (!inside && guard_->is_gone()) return;
  if (const auto found = timer_.lock()) found->expired();
}

void boot_timer_link::hold_lost_with(const asio::execution_context& gone) const {
  if (context_ != &gone) return expire();
  if (const auto found = timer_.lock()) found->destroyed();
}

} // namespace zklock::detail
