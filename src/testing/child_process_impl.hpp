#pragma once

#include "support/unique_descriptor.hpp"
#include "testing/child_process.hpp"
#include "testing/system_call.hpp"

#include <condition_variable>
#include <mutex>
#include <string_view>
#include <thread>

namespace zklock::testing {

/// A child process, and the thread that starts it and waits for its end. A thread, because Linux
/// sends the parent-death signal when the thread that created the child ends.
///
/// Not Boost.Process, which has no parent-death signal, and whose interface differs between 1.81
/// and 1.88.
class child_process::impl {
 public:
  explicit impl(const child_options& options);
  ~impl();
  impl(const impl&) = delete;
  impl& operator=(const impl&) = delete;

  pid_t id() const;
  void signal(int number);
  bool wait_for_halt() const;
  bool wait_for_end(std::chrono::milliseconds limit) const;
  int wait() const;
  std::string how_it_ended() const;

  void write(std::string_view text);
  void close_input();
  std::optional<std::string> read_line(std::chrono::milliseconds limit);

  /// The parent's end of the child's standard input and output.
  int socket() const { return socket_.get(); }

  /// The name of the process in messages.
  std::string name() const;

 private:
  void run(const child_options& options, int streams);
  void wait_and_reap();

  const std::string program_;
  detail::unique_descriptor socket_;
  std::string unread_;

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool started_ = false;
  bool ended_ = false;
  pid_t id_ = 0;
  int status_ = 0;
  std::string problem_;
  std::thread thread_;
};

} // namespace zklock::testing
