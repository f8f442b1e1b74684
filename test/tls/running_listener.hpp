#pragma once

#include "support/listener.hpp"

#include <string>
#include <thread>
#include <utility>

namespace zklock::test {

/// Listens on a context and a thread of its own.
class running_listener {
 public:
  explicit running_listener(listener::conversation talk)
      : listener_(io_, std::move(talk)), thread_([this] { io_.run(); }) {}

  ~running_listener() {
    io_.stop();
    thread_.join();
  }

  running_listener(const running_listener&) = delete;
  running_listener& operator=(const running_listener&) = delete;

  asio::io_context& io() { return io_; }
  std::string address() const { return listener_.address(); }

 private:
  asio::io_context io_;
  listener listener_;
  std::thread thread_;
};

} // namespace zklock::test
