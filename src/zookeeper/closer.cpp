#include "zookeeper/closer.hpp"

#include "zookeeper/unique_descriptor.hpp"

#include <boost/asio/post.hpp>

#include <fcntl.h>
#include <signal.h>
#include <sys/eventfd.h>

#include <atomic>
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

/// The threads that still run. None outlives the program's static objects.
class threads {
 public:
  ~threads() {
    for (auto& each : running_)
      each.thread.join();
  }

  template <class Task>
  void start(Task task) {
    std::lock_guard lock(mutex_);
    running_.remove_if([](running& each) {
      if (each.finished) each.thread.join();
      return each.finished.load();
    });
    auto& added = running_.emplace_back();
    // The program's signals are not for this thread.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      added.thread = std::thread([task = std::move(task), &added]() mutable {
        Task mine = std::move(task);
        mine();
        added.finished = true;
      });
    } catch (...) {
      running_.pop_back();
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

 private:
  struct running {
    std::thread thread;
    std::atomic<bool> finished{false};
  };

  std::mutex mutex_;
  std::list<running> running_;
};

/// Says how it went by a descriptor: a thread must not own an executor, which may go away first.
class ending {
 public:
  ending(std::unique_ptr<handle> connected, unique_descriptor report)
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
  unique_descriptor report_;
  bool confirmed_ = false;
};

threads& all_threads() {
  static threads instance;
  return instance;
}

} // namespace

void expect_sessions() {
  all_threads();
}

void end_session(std::unique_ptr<handle> connected) noexcept {
  all_threads().start(ending{std::move(connected), unique_descriptor{}});
}

std::weak_ptr<asio::posix::stream_descriptor>
end_session(std::unique_ptr<handle> connected, const asio::strand<asio::any_io_executor>& executor,
            std::function<void(bool)> done) {
  const auto report = std::make_shared<asio::posix::stream_descriptor>(executor);
  unique_descriptor event{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  unique_descriptor threads_end{::fcntl(event.get(), F_DUPFD_CLOEXEC, 0)};
  error_code error;
  if (threads_end.get() >= 0) report->assign(event.get(), error);
  if (threads_end.get() < 0 || error) {
    end_session(std::move(connected));
    asio::post(executor, [done = std::move(done)] { done(false); });
    return {};
  }
  event.release();
  report->async_wait(asio::posix::stream_descriptor::wait_read,
                     [report, done = std::move(done)](error_code forgotten) {
                       if (forgotten) return;
                       eventfd_t how = not_ended;
                       eventfd_read(report->native_handle(), &how);
                       done(how == ended);
                     });
  all_threads().start(ending{std::move(connected), std::move(threads_end)});
  return report;
}

} // namespace zklock::zookeeper
