#include "zookeeper/closer.hpp"

#include "unique_descriptor.hpp"
#include "zookeeper/process.hpp"

#include <boost/asio/post.hpp>

#include <fcntl.h>
#include <sys/eventfd.h>

#include <atomic>
#include <csignal>
#include <list>
#include <mutex>
#include <thread>
#include <utility>

namespace zklock::zookeeper {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr eventfd_t not_ended = 1;
constexpr eventfd_t ended = 2;

/// The threads that still run. It lives for ever: static objects that are destroyed late may own
/// sessions. The child of a fork has none of those that were started before.
class threads {
 public:
  template <class Task>
  void start(Task task) {
    std::lock_guard lock(mutexes_of_process().enders);
    forget_those_of_parent();
    join_if([](const running& each) { return each.finished.load(); });
    auto& added = running_.emplace_back();
    // The program's signals are not for this thread.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      added.thread = std::thread([task = std::move(task), &added]() mutable {
        Task(std::move(task))();
        added.finished = true;
      });
    } catch (...) {
      running_.pop_back();
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (exiting_) join_all();
  }

  /// From now on nothing is left running.
  void exit() {
    std::list<running> last;
    {
      std::lock_guard lock(mutexes_of_process().enders);
      forget_those_of_parent();
      exiting_ = true;
      last.swap(running_);
    }
    // A fork need not wait for this.
    for (auto& each : last)
      each.thread.join();
  }

 private:
  struct running {
    std::thread thread;
    std::atomic<bool> finished{false};
  };

  // They can be neither joined nor destroyed.
  void forget_those_of_parent() {
    if (process_.is_current()) return;
    process_ = process_mark{};
    forgotten_.splice(forgotten_.end(), running_);
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
  std::list<running> forgotten_;
  bool exiting_ = false;
};

threads& all_threads() {
  static threads& immortal = *new threads;
  // A thread that outlived the program's static objects could still use some of them.
  static const struct at_exit {
    ~at_exit() { immortal.exit(); }
  } last;
  return immortal;
}

/// Says how it went by a descriptor: a thread must not own an executor, which may go away first.
class ending {
 public:
  ending(std::unique_ptr<handle> connected, detail::unique_descriptor report)
      : connected_(std::move(connected)), report_(std::move(report)) {}
  ending(ending&&) = default;

  ~ending() {
    if (report_.get() >= 0) eventfd_write(report_.get(), confirmed_ ? ended : not_ended);
  }

  void operator()() {
    confirmed_ = connected_->end();
    connected_.reset();
  }

 private:
  std::unique_ptr<handle> connected_;
  detail::unique_descriptor report_;
  bool confirmed_ = false;
};

void await_report(std::shared_ptr<waitable_descriptor> report, std::function<void(bool)> done) {
  auto& descriptor = *report;
  descriptor.async_wait(
      waitable_descriptor::wait_read,
      [report = std::move(report), done = std::move(done)](error_code forgotten) mutable {
        if (forgotten) return;
        eventfd_t how = not_ended;
        // The reactor may wake us for what it still knew of the socket that it forgot just now.
        if (eventfd_read(report->native_handle(), &how) != 0)
          return await_report(std::move(report), std::move(done));
        done(how == ended);
      });
}

} // namespace

void end_session(std::unique_ptr<handle> connected) noexcept {
  all_threads().start(ending{std::move(connected), detail::unique_descriptor{}});
}

std::weak_ptr<waitable_descriptor> end_session(std::unique_ptr<handle> connected,
                                               const strand& executor,
                                               std::function<void(bool)> done) {
  const auto report = std::make_shared<waitable_descriptor>(executor);
  detail::unique_descriptor event{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  detail::unique_descriptor threads_end{::fcntl(event.get(), F_DUPFD_CLOEXEC, 0)};
  error_code error;
  if (threads_end.get() >= 0) report->assign(event.get(), error);
  if (threads_end.get() < 0 || error) {
    end_session(std::move(connected));
    asio::post(executor, [done = std::move(done)] { done(false); });
    return {};
  }
  event.release();
  await_report(report, std::move(done));
  all_threads().start(ending{std::move(connected), std::move(threads_end)});
  return report;
}

} // namespace zklock::zookeeper
