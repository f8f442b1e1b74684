#pragma once

#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <future>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>

namespace zklock::testing {

/// A context and its thread.
class reactor {
 public:
  /// Returns the reactor that all relays of the process share, or starts one. It ends with the last
  /// relay.
  static std::shared_ptr<reactor> get();

  reactor();
  ~reactor();
  reactor(const reactor&) = delete;
  reactor& operator=(const reactor&) = delete;

  boost::asio::io_context& context() { return context_; }

  /// Calls `work` on the thread, and blocks until it returns. Returns its result or throws its
  /// exception.
  template <typename Work>
  std::invoke_result_t<Work> run(Work work) {
    std::packaged_task<std::invoke_result_t<Work>()> task(std::move(work));
    auto result = task.get_future();
    boost::asio::dispatch(context_, [&task] { task(); });
    return result.get();
  }

 private:
  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_;
  std::thread thread_;
};

} // namespace zklock::testing
