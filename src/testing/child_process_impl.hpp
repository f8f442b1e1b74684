#pragma once

#include <zklock/testing/child_process.hpp>

#include "testing/system_call.hpp"
#include "unique_descriptor.hpp"

#include <condition_variable>
#include <mutex>
#include <string_view>
#include <thread>

namespace zklock::testing {

/// The child, with a thread that starts it and waits for its end: Linux kills a child not when its
/// parent process dies but when the thread does that made it.
///
/// By hand: Boost.Process has neither this nor one interface from 1.81 to 1.88.
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

  /// Our end of the child's standard input and output.
  int socket() const { return socket_.get(); }

  /// Names it in messages.
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
