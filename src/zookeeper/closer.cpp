#include "zookeeper/closer.hpp"

#include "support/unique_descriptor.hpp"
#include "zookeeper/process.hpp"

#include <boost/asio/post.hpp>

#include <fcntl.h>
#include <sys/eventfd.h>

#include <atomic>
#include <csignal>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace zklock::zookeeper {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

// The values of the event descriptor.
constexpr eventfd_t reports_failure = 1;
constexpr eventfd_t reports_success = 2;

/// The running threads. It is never destroyed: static objects that are destroyed late may own
/// sessions. The child of a fork has none of its parent's threads.
class threads {
 public:
  template <class Task>
  void start(Task task) {
    std::lock_guard lock(mutexes_of_process().closers);
    drop_threads_of_parent();
    join_if([](const running& each) { return each.finished.load(); });
    auto& added = running_.emplace_back();
    // The program's signal handlers must not run on a thread of the library.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      added.thread = std::thread([task = std::move(task), &added]() mutable {
        Task(std::move(task))();
        added.finished = true;
      });
    } catch (const std::system_error&) {
      running_.pop_back();
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (exiting_) join_all();
  }

  /// Joins all threads. Each thread that is started later is joined by `start`.
  void exit() {
    std::list<running> last;
    {
      std::lock_guard lock(mutexes_of_process().closers);
      drop_threads_of_parent();
      exiting_ = true;
      last.swap(running_);
    }
    // Outside the mutex: a fork does not wait for the threads.
    for (auto& each : last)
      each.thread.join();
  }

 private:
  struct running {
    std::thread thread;
    std::atomic<bool> finished{false};
  };

  // The parent's threads can be neither joined nor destroyed in the child.
  void drop_threads_of_parent() {
    if (process_.is_current()) return;
    process_ = process_mark{};
    dropped_.splice(dropped_.end(), running_);
  }

  template <class Predicate>
  void join_if(Predicate predicate) {
    running_.remove_if([predicate](running& each) {
      if (!predicate(each)) return false;
      each.thread.join();
      return true;
    });
  }

  void join_all() {
    join_if([](const running&) { return true; });
  }

  process_mark process_;
  std::list<running> running_;
  std::list<running> dropped_;
  bool exiting_ = false;
};

threads& all_threads() {
  static threads& immortal = *new threads;
  // A thread that runs after the destruction of the program's static objects might use them.
  static const struct at_exit {
    ~at_exit() { immortal.exit(); }
  } last;
  return immortal;
}

/// Closes a session, and reports the result by an event descriptor: a thread must not own an
/// executor, whose context may be destroyed first.
class closing {
 public:
  closing(std::unique_ptr<handle> connected, detail::unique_descriptor report)
      : connected_(std::move(connected)), report_(std::move(report)) {}
  closing(closing&&) = default;

  ~closing() {
    if (report_.get() >= 0)
      eventfd_write(report_.get(), confirmed_ ? reports_success : reports_failure);
  }

  void operator()() {
    confirmed_ = connected_->close_session();
    connected_.reset();
  }

 private:
  std::unique_ptr<handle> connected_;
  detail::unique_descriptor report_;
  bool confirmed_ = false;
};

void async_wait_report(std::shared_ptr<waitable_descriptor> report,
                       std::function<void(bool)> done) {
  auto& descriptor = *report;
  descriptor.async_wait(
      waitable_descriptor::wait_read,
      [report = std::move(report), done = std::move(done)](error_code cancelled) mutable {
        if (cancelled) return;
        eventfd_t result = reports_failure;
        // The reactor may still have an event of a closed socket that had this number.
        if (eventfd_read(report->native_handle(), &result) != 0)
          return async_wait_report(std::move(report), std::move(done));
        done(result == reports_success);
      });
}

} // namespace

void close_session(std::unique_ptr<handle> connected) noexcept {
  all_threads().start(closing{std::move(connected), detail::unique_descriptor{}});
}

std::weak_ptr<waitable_descriptor> close_session(std::unique_ptr<handle> connected,
                                                 const strand& executor,
                                                 std::function<void(bool)> done) {
  const auto report = std::make_shared<waitable_descriptor>(executor);
  detail::unique_descriptor event{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  detail::unique_descriptor duplicate{::fcntl(event.get(), F_DUPFD_CLOEXEC, 0)};
  error_code error;
  if (duplicate.get() >= 0) report->assign(event.get(), error);
  if (duplicate.get() < 0 || error) {
    close_session(std::move(connected));
    asio::post(executor, [done = std::move(done)] { done(false); });
    return {};
  }
  event.release();
  async_wait_report(report, std::move(done));
  all_threads().start(closing{std::move(connected), std::move(duplicate)});
  return report;
}

} // namespace zklock::zookeeper
