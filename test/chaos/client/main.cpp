// A process with 50 waiters on all kinds of locks:
//
//   chaos_client SERVERS SESSION_TIMEOUT_IN_MS TICK_IN_MS LOG FOLDER NAME SEED
//
// Prints "ready" before it makes its client, and begins at "go". At "stop" the waiters end; then
// the client is closed, and "closed" is printed. The process ends with its standard input.
#include "chaos/client/waiters.hpp"
#include "chaos/locks.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>

#include <unistd.h>

#include <iostream>
#include <optional>
#include <vector>

using namespace chaos;

namespace {

asio::awaitable<void> waiter(scene& here, std::size_t index) {
  if (index < 12) return add_to_sets(here, index % mutexes);
  if (index < 16) return run_bodies(here, index % body_mutexes);
  if (index < 20) return use_own_lock(here);
  if (index < 30) return read_and_write(here, index % shared_mutexes);
  if (index < 34) return take_permits(here, {here.zk, permits_path, permit_limit});
  if (index < 37)
    return take_permits(here, {here.zk, counted_permits_path, zklock::limit_node{limit_path}});
  if (index < 38) return change_limit(here);
  if (index < 44) return commit_znodes(here, index % commit_mutexes);
  if (index < 48) return take_several(here);
  if (index < 49) return take_any(here);
  return lead(here);
}

class process {
 public:
  process(asio::io_context& io, char** arguments) : io_(io), arguments_(arguments) {}

  asio::awaitable<void> serve() {
    std::cout << "ready" << std::endl;
    for (std::string text;;) {
      const auto [error, size] =
          co_await asio::async_read_until(in_, asio::dynamic_buffer(text), '\n', as_result);
      if (error) co_return;
      const auto command = text.substr(0, size - 1);
      text.erase(0, size);
      if (command == "go") start();
      if (command == "stop") here_->stopping = true;
    }
  }

 private:
  void start() {
    zklock::client_options options{.servers = arguments_[1],
                                   .session_timeout = milliseconds(std::stol(arguments_[2])),
                                   .log = [](zklock::log_level, std::string_view) {},
                                   .server_tick = milliseconds(std::stol(arguments_[3]))};
    const auto seed = std::stoull(arguments_[7]);
    const auto number = static_cast<std::size_t>(seed % own_mutexes);
    // One of the processes passes its locks on inside, one keeps them, and one does both.
    if (number == 0 || number == 3) options.local_handoffs = 8;
    if (number == 1 || number == 3) options.lock_cache.emplace();
    zk_.emplace(io_, std::move(options));
    log_.emplace(arguments_[4]);
    here_.emplace(scene{.io = io_,
                        .zk = *zk_,
                        .log = *log_,
                        .folder = arguments_[5],
                        .name = arguments_[6],
                        .process = number,
                        .own_locks = {},
                        .random_numbers = std::mt19937_64(seed)});
    for (std::size_t i = 0; i < own_mutexes; ++i)
      here_->own_locks.push_back(zklock::mutex(*zk_, own_path(i)));
    for (std::size_t i = 0; i < waiters; ++i)
      asio::co_spawn(io_, waiter(*here_, i), [this](std::exception_ptr failure) {
        if (failure) std::rethrow_exception(failure);
        if (--left_ == 0) close();
      });
  }

  void close() {
    zk_->close([this](zklock::error_code error) {
      here_.reset();
      zk_.reset();
      log_.reset();
      std::cout << (error ? "not closed: " + error.message() : "closed") << std::endl;
    });
  }

  static constexpr std::size_t waiters = 50;

  asio::io_context& io_;
  char** arguments_;
  asio::posix::stream_descriptor in_{io_, ::dup(STDIN_FILENO)};
  std::optional<zklock::client> zk_;
  std::optional<event_log> log_;
  std::optional<scene> here_;
  std::size_t left_ = waiters;
};

} // namespace

int main(int count, char** arguments) try {
  if (count != 8) {
    std::cerr << "chaos_client: see test/chaos/run" << std::endl;
    return 2;
  }
  asio::io_context io{1};
  process whole(io, arguments);
  asio::co_spawn(io, whole.serve(), [](std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
  });
  io.run();
} catch (const std::exception& error) {
  std::cerr << "chaos_client: " << error.what() << std::endl;
  return 1;
}
