// A whole client, with its locks, on a simulated network and clock, and a server with a small tree
// that is wrong, or silent, now and then: each operation completes exactly once, at the latest
// after the client is destroyed, no call waits, and no two holds of a mutex are valid at a time.
#include <zklock/zklock.hpp>

#include "deterministic/kernel/kernel.hpp"
#include "fuzz.hpp"
#include "newest_connection.hpp"
#include "tree_server.hpp"
#include "zookeeper/xid.hpp"

#include <boost/asio/bind_executor.hpp>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace zklock::fuzz {

namespace {

using namespace std::chrono_literals;

constexpr auto address = "10.0.0.1:2181";

/// The client, and locks of it.
struct locks {
  explicit locks(boost::asio::io_context& io)
      : zk(io, {.servers = address, .identity = "x", .log = [](auto, auto) {}}) {}

  client zk;
  mutex alone{zk, "/a"};
  shared_mutex shared{zk, "/b"};
  semaphore permits{zk, "/c", limit_node{.path = "/n"}};
};

class scenario {
 public:
  explicit scenario(input& in) : in_(in), answers_(in) {
    kernel_.net().listen(address, server_);
    process_.call([this] { locks_.emplace(process_.context()); });
  }

  ~scenario() {
    process_.call([this] {
      of_mutex_.clear();
      holds_.clear();
    });
    server_.close();
    kernel_.end(process_);
  }

  void run() {
    for (int step = 0; step < 200 && !in_.empty(); ++step) {
      const auto what = in_.below(24);
      if (what < 15)
        process_.call([&] { act(what); });
      else
        serve(what);
      run_for(5ms);
      process_.call([this] { check(); });
    }
    process_.call([this] { locks_.reset(); });
    // The end of the session waits for the server, which is silent.
    run_for(10s);
    require(completed_ == started_, "an operation does not complete");
    require(process_.context().stopped(), "a client that is destroyed keeps its context busy");
  }

 private:
  // Counts the started and the completed operations. Bound to the executor, since an operation on
  // an empty hold knows no executor but its handler's.
  template <class... Results>
  auto once() {
    ++started_;
    return boost::asio::bind_executor(
        process_.context(), [this, is_done = false](Results...) mutable {
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

  void act(std::size_t what) {
    switch (what) {
    case 0:
      return locks_->alone.acquire(timeout(), keep_alone());
    case 1:
      return locks_->alone.try_acquire(keep_alone());
    case 2:
      return locks_->shared.acquire(timeout(), keep());
    case 3:
      return locks_->shared.acquire_shared(timeout(), keep());
    case 4:
      return locks_->permits.acquire(1 + in_.below(3), timeout(), keep());
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
      return locks_->zk.find_locks("/", in_.below(4), once<error_code, std::vector<found_lock>>());
    case 12:
      if (!participants_.empty()) any().request_release(participants_.front(), once<error_code>());
      return;
    case 13:
      return any().break_lock(once<error_code, std::size_t>());
    default:
      if (!holds_.empty()) holds_.front().wait_release_requested(once<error_code, std::string>());
    }
  }

  void serve(std::size_t what) {
    switch (what) {
    case 15:
      return server_.send(answers_.event());
    case 16:
      return server_.send(in_.text());
    case 17:
      return in_.one_of(4) ? server_.close() : void();
    case 18:
      return fall_silent();
    default:
      for (auto count = in_.below(8) + 1; count != 0 && server_.answer(answers_); --count) {}
    }
  }

  // Pings, timeouts and attempts to connect become due.
  void fall_silent() {
    constexpr std::chrono::milliseconds times[] = {50ms, 700ms, 4s, 30s};
    run_for(times[in_.below(std::size(times))]);
  }

  std::chrono::milliseconds timeout() {
    constexpr std::chrono::milliseconds times[] = {1h, 1h, 20ms, 2s};
    return times[in_.below(std::size(times))];
  }

  any_lock any() {
    switch (in_.below(3)) {
    case 0:
      return locks_->alone;
    case 1:
      return locks_->shared;
    default:
      return locks_->permits;
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

  void run_for(std::chrono::nanoseconds time) {
    kernel_.run_for(time);
    require(kernel_.faults().empty(), "a call waits, or the client runs without end");
  }

  input& in_;
  tree_server answers_;
  newest_connection server_;
  deterministic::kernel kernel_;
  deterministic::process& process_ = kernel_.start("one");
  std::optional<locks> locks_;
  std::size_t started_ = 0;
  std::size_t completed_ = 0;
  std::vector<participant> participants_;
  std::vector<hold> holds_;
  std::vector<hold> of_mutex_;
};

} // namespace

} // namespace zklock::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  zklock::zookeeper::set_next_xid(1);
  zklock::fuzz::input in(data, size);
  zklock::fuzz::scenario(in).run();
  return 0;
}
