// A process with 50 waiters on all kinds of locks:
//
//   chaos_client SERVERS SESSION_TIMEOUT_IN_MS TICK_IN_MS LOG FOLDER NAME SEED
//     [AUTHORITIES CERTIFICATE]
//
// With the two files, it connects by TLS.
//
// Prints "ready" before it makes its client, and begins at "go". A client whose credentials the
// servers refuse is replaced by another client. From "block" to "unblock" a handler occupies the
// client's loop. "use 2" has the client use the third of its servers only, "use all" all of them.
// At "stop" the waiters end; then the client is closed, and "closed" is printed. The process ends
// with its standard input.
#include "chaos/client/waiters.hpp"
#include "chaos/locks.hpp"

#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>

#include <unistd.h>

#include <array>
#include <atomic>
#include <future>
#include <iostream>
#include <optional>
#include <string>
#include <thread>
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

// Some bodies run on another loop than their client's.
bool is_elsewhere(std::size_t index, std::size_t process) {
  return index == 14 || index == 15 || (index == 49 && process % 2 == 1);
}

/// An execution context with a thread of its own. An exception ends the process.
class loop {
 public:
  ~loop() {
    io.stop();
    thread_.join();
  }

  asio::io_context io{1};
  /// A context has its descriptors from its first timer on.
  asio::steady_timer timer{io};

 private:
  asio::executor_work_guard<asio::io_context::executor_type> work_{io.get_executor()};
  std::thread thread_{[this] { io.run(); }};
};

class process {
 public:
  process(asio::io_context& io, char** arguments) : arguments_(arguments), in_(io, ::dup(0)) {}

  asio::awaitable<void> serve() {
    std::cout << "ready" << std::endl;
    for (std::string text;;) {
      const auto [error, size] =
          co_await asio::async_read_until(in_, asio::dynamic_buffer(text), '\n', as_result);
      if (error) co_return;
      const auto command = text.substr(0, size - 1);
      text.erase(0, size);
      if (command == "go") asio::post(clients_.io, [this] { start(); });
      if (command == "block") block();
      if (command == "unblock") blocked_.reset();
      if (command.starts_with("use "))
        asio::post(clients_.io, [this, which = command.substr(4)] { use(which); });
      if (command == "stop") is_told_to_stop_ = stopping_ = true;
    }
  }

 private:
  // The future is ready when its promise is gone.
  void block() {
    auto& end = blocked_.emplace();
    asio::post(clients_.io, [end = end.get_future().share()] { end.wait(); });
  }

  void use(const std::string& which) {
    servers_ = arguments_[1];
    if (which != "all") {
      std::vector<std::string> all;
      boost::split(all, servers_, boost::is_any_of(","));
      servers_ = all.at(std::stoul(which));
    }
    if (zk_) zk_->set_servers(servers_);
  }

  void start() {
    if (!log_) log_.emplace(arguments_[4]);
    zklock::client_options options{
        .servers = servers_,
        .session_timeout = milliseconds(std::stol(arguments_[2])),
        .log = [this](zklock::log_level, std::string_view line) { log_->write('M', 0, line); },
        .server_tick = milliseconds(std::stol(arguments_[3]))};
    const auto number = static_cast<std::size_t>(seed_ % own_mutexes);
    // The first process hands its locks over inside, the second caches them, the fourth does both.
    if (number == 0 || number == 3) options.local_handoffs = 8;
    if (number == 1 || number == 3) options.lock_cache.emplace();
    if (arguments_[8] != nullptr)
      options.tls = {.authorities = {.file = arguments_[8]},
                     .certificate = {.file = arguments_[9]},
                     .server_name = server_name};
    zk_.emplace(clients_.io, std::move(options));
    stopping_ = false;
    if (is_told_to_stop_) stopping_ = true;
    here_.emplace(scene_on(clients_, false, number));
    elsewhere_.emplace(scene_on(bodies_, true, number));
    for (std::size_t i = 0; i < own_mutexes; ++i)
      here_->own_locks.push_back(zklock::mutex(*zk_, own_path(i)));
    left_ = waiters;
    for (std::size_t i = 0; i < waiters; ++i) {
      scene& chosen = is_elsewhere(i, number) ? *elsewhere_ : *here_;
      asio::co_spawn(chosen.io, waiter(chosen, i),
                     asio::bind_executor(clients_.io, [this](std::exception_ptr failure) {
                       if (failure) std::rethrow_exception(failure);
                       if (--left_ == 0) close();
                     }));
    }
  }

  scene scene_on(loop& on, bool elsewhere, std::size_t number) {
    auto& operations = operations_[elsewhere];
    return {.io = on.io,
            .elsewhere = elsewhere,
            .zk = *zk_,
            .log = *log_,
            .folder = arguments_[5],
            .name = arguments_[6],
            .process = number,
            .own_locks = {},
            .random_numbers = std::mt19937_64(seed_ + operations),
            .operations = operations,
            .stopping = stopping_};
  }

  // A client whose credentials were refused is over, and leaves its session behind.
  void close() {
    const bool is_over = zk_->state() == zklock::connection_state::closed;
    zk_->close([this, is_over](zklock::error_code error) {
      here_.reset();
      elsewhere_.reset();
      zk_.reset();
      if (!is_told_to_stop_) return begin_again();
      log_.reset();
      const bool is_wrong = error && !is_over;
      std::cout << (is_wrong ? "not closed: " + error.message() : "closed") << std::endl;
    });
  }

  void begin_again() {
    clients_.timer.expires_after(500ms);
    clients_.timer.async_wait([this](zklock::error_code) { start(); });
  }

  static constexpr std::size_t waiters = 50;

  char** arguments_;
  asio::posix::stream_descriptor in_;
  std::string servers_ = arguments_[1];
  const std::uint64_t seed_ = std::stoull(arguments_[7]);
  std::array<std::uint64_t, 2> operations_{0, 1'000'000'000};
  std::atomic<bool> is_told_to_stop_ = false;
  std::atomic<bool> stopping_ = false;
  std::optional<event_log> log_;
  std::optional<zklock::client> zk_;
  std::optional<scene> here_;
  std::optional<scene> elsewhere_;
  std::size_t left_ = 0;
  // Handlers use the members above: the loops end first.
  loop bodies_;
  loop clients_;
  std::optional<std::promise<void>> blocked_;
};

} // namespace

int main(int count, char** arguments) try {
  if (count != 8 && count != 10) {
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
