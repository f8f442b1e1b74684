// A whole client, with its locks, and a server with a small tree that is wrong now and then: each
// operation completes exactly once, at the latest after the client is destroyed, and no two holds
// of a mutex are valid at a time.
#include <zklock/zklock.hpp>

#include "fuzz.hpp"
#include "loopback.hpp"
#include "tree_server.hpp"
#include "zookeeper/xid.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/io_context.hpp>

#include <sys/socket.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace zklock::fuzz {

namespace {

class scenario {
 public:
  explicit scenario(input& in) : in_(in), server_(in) {}

  void run() {
    for (int step = 0; step < 200 && !in_.empty(); ++step) {
      poll();
      act();
      check();
    }
    disconnect();
    client_.reset();
    poll();
    require(completed_ == started_, "an operation does not complete");
    require(io_.stopped(), "a client that is destroyed keeps its context busy");
  }

 private:
  // Without a connection the client closes no session. That takes a thread, and waits for a reply.
  void disconnect() {
    connection_ = detail::unique_descriptor{};
    for (int i = 0; i < 3; ++i) {
      poll();
      accept();
      connection_ = detail::unique_descriptor{};
    }
    poll();
    require(!client_->connected(), "a client without a server is connected");
  }

  // Counts the operations, and those that have completed. Bound to the executor, since an
  // operation on an empty hold knows of no other than that of its handler.
  template <class... Results>
  auto once() {
    ++started_;
    return boost::asio::bind_executor(io_, [this, is_done = false](Results...) mutable {
      require(!std::exchange(is_done, true), "an operation completes twice");
      ++completed_;
    });
  }

  auto keep_alone() {
    return [this, done = once<>()](error_code error, hold got) mutable {
      done();
      if (!error) of_mutex_.push_back(std::move(got));
    };
  }

  auto keep() {
    return [this, done = once<>()](error_code error, hold got) mutable {
      done();
      if (!error) holds_.push_back(std::move(got));
    };
  }

  void act() {
    switch (in_.below(24)) {
    case 0:
      return mutex_.acquire(std::chrono::hours(1), keep_alone());
    case 1:
      return mutex_.try_acquire(keep_alone());
    case 2:
      return shared_.acquire(std::chrono::hours(1), keep());
    case 3:
      return shared_.acquire_shared(std::chrono::hours(1), keep());
    case 4:
      return semaphore_.acquire(1 + in_.below(3), std::chrono::hours(1), keep());
    case 5:
      return forget();
    case 6:
      if (!holds_.empty()) holds_.front().release(once<error_code>());
      return;
    case 7:
      if (!holds_.empty()) holds_.back().downgrade(once<error_code>());
      return;
    case 8:
      return any().participants([this, done = once<error_code, std::vector<participant>>()](
                                    error_code error, std::vector<participant> all) mutable {
        participants_ = all;
        done(error, std::move(all));
      });
    case 9:
      return any().holders(once<error_code, std::vector<participant>>());
    case 10:
      return any().count_waiting(once<error_code, std::size_t>());
    case 11:
      return client_->find_locks("/", in_.below(4), once<error_code, std::vector<found_lock>>());
    case 12:
      if (!participants_.empty()) any().request_release(participants_.front(), once<error_code>());
      return;
    case 13:
      return any().break_lock(once<error_code, std::size_t>());
    case 14:
      if (!holds_.empty()) holds_.front().wait_release_requested(once<error_code, std::string>());
      return;
    case 15:
      return write(server_.event());
    case 16:
      return write(std::string(in_.text()));
    case 17:
      if (in_.one_of(4)) connection_ = detail::unique_descriptor{};
      return;
    default:
      return serve();
    }
  }

  any_lock any() {
    switch (in_.below(3)) {
    case 0:
      return mutex_;
    case 1:
      return shared_;
    default:
      return semaphore_;
    }
  }

  void forget() {
    auto& from = in_.one_of(2) ? holds_ : of_mutex_;
    if (!from.empty()) from.erase(from.begin());
  }

  void check() {
    const auto valid = std::count_if(of_mutex_.begin(), of_mutex_.end(),
                                     [](const hold& each) { return each.owns_lock(); });
    require(valid <= 1, "two holds of a mutex are valid");
  }

  void serve() {
    accept();
    if (connection_.get() < 0) return;
    char bytes[4096];
    for (ssize_t size = 0;
         (size = ::recv(connection_.get(), bytes, sizeof bytes, MSG_DONTWAIT)) > 0;)
      received_.append(bytes, static_cast<std::size_t>(size));
    for (auto count = in_.below(8) + 1; count != 0 && received_.size() >= 4; --count) {
      const auto length = static_cast<std::size_t>(testing::jute_reader(received_).take_int());
      if (received_.size() < 4 + length) return;
      const auto frame = received_.substr(4, length);
      received_.erase(0, 4 + length);
      write(std::exchange(is_connected_, true) ? server_.answer(frame) : server_.handshake());
    }
  }

  void accept() {
    auto accepted = take_server_end();
    if (accepted.get() < 0) return;
    connection_ = std::move(accepted);
    received_.clear();
    is_connected_ = false;
  }

  void write(std::string_view bytes) {
    if (connection_.get() < 0) return;
    ::send(connection_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    poll();
  }

  void poll() {
    // A client that has failed for good leaves the context without work, and it stops.
    io_.restart();
    for (int steps = 0; io_.poll_one() != 0; ++steps)
      require(steps < 100'000, "the client runs without end");
  }

  input& in_;
  tree_server server_;
  detail::unique_descriptor connection_;
  std::string received_;
  bool is_connected_ = false;
  std::size_t started_ = 0;
  std::size_t completed_ = 0;
  boost::asio::io_context io_{1};
  std::optional<client> client_{
      std::in_place, io_,
      client_options{.servers = "127.0.0.1:2181", .identity = "x", .log = [](auto, auto) {}}};
  mutex mutex_{*client_, "/a"};
  shared_mutex shared_{*client_, "/b"};
  semaphore semaphore_{*client_, "/c", limit_node{.path = "/n"}};
  std::vector<participant> participants_;
  std::vector<hold> holds_;
  std::vector<hold> of_mutex_;
};

} // namespace

} // namespace zklock::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  zklock::zookeeper::set_next_xid(1);
  // What an earlier input has left.
  zklock::fuzz::take_server_end();
  zklock::fuzz::input in(data, size);
  zklock::fuzz::scenario(in).run();
  return 0;
}
