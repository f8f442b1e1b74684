#pragma once

#include "inspect/looking.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace zklock::test {

/// Records the reports of a client: "3 granted" is the grant of the third acquire that started.
class recorder final : public observer {
 public:
  /// Called inside each function, with the recorded line.
  std::function<void(const std::string&)> hook;

  std::vector<std::string> taken() {
    const std::lock_guard guard(mutex_);
    return std::exchange(lines_, {});
  }

  std::size_t reports() {
    const std::lock_guard guard(mutex_);
    return lines_.size();
  }

  /// Whether the line was recorded since the last call of `taken`.
  bool has(const std::string& line) {
    const std::lock_guard guard(mutex_);
    return std::find(lines_.begin(), lines_.end(), line) != lines_.end();
  }

  std::vector<std::thread::id> starters() {
    const std::lock_guard guard(mutex_);
    return starters_;
  }

  /// How many spans the client keeps.
  long kept() const { return alive_.use_count() - 1; }

  void state_changed(connection_state now) override {
    constexpr std::array names{"connecting",  "connected", "suspended",
                               "reconnected", "lost",      "closed"};
    add(names.at(static_cast<std::size_t>(now)));
  }

  std::shared_ptr<void> acquire_started(const observed_acquire& what) override {
    auto made = std::make_shared<span>();
    {
      const std::lock_guard guard(mutex_);
      made->number = std::to_string(++started_);
      made->alive = alive_;
      starters_.push_back(std::this_thread::get_id());
      last = what;
      last_path = what.path;
    }
    add(made->number + " started");
    return made;
  }

  void granted(const std::shared_ptr<void>& of, fencing_token token) override {
    last_token = token;
    add(number(of) + " granted");
  }
  void reentered(const std::shared_ptr<void>& of) override { add(number(of) + " reentered"); }
  void not_granted(const std::shared_ptr<void>& of, error_code why) override {
    add(number(of) + " not granted: " + why.message());
  }
  void lost(const std::shared_ptr<void>& of, error_code why) override {
    add(number(of) + " lost: " + why.message());
  }
  void released(const std::shared_ptr<void>& of) override { add(number(of) + " released"); }

  observed_acquire last;
  std::string last_path;
  fencing_token last_token;

 private:
  struct span {
    std::string number;
    std::shared_ptr<int> alive;
  };

  static std::string number(const std::shared_ptr<void>& of) {
    return of ? static_cast<span*>(of.get())->number : "?";
  }

  void add(const std::string& line) {
    {
      const std::lock_guard guard(mutex_);
      lines_.push_back(line);
    }
    if (hook) hook(line);
  }

  std::mutex mutex_;
  std::vector<std::string> lines_;
  std::vector<std::thread::id> starters_;
  int started_ = 0;
  const std::shared_ptr<int> alive_ = std::make_shared<int>();
};

using lines = std::vector<std::string>;

inline std::string text(errc why) {
  return make_error_code(why).message();
}

/// A client that is observed, behind a relay, and another client.
struct observed_scene : two_clients {
  explicit observed_scene(std::shared_ptr<recorder> by = std::make_shared<recorder>())
      : two_clients({.ours = observing(behind_door, by),
                     .theirs = options_for(shared_server().address(), 30s)}),
        seen(std::move(by)) {}

  const std::shared_ptr<recorder> seen;

  static client_options observing(const std::string& servers, std::shared_ptr<recorder> by) {
    auto options = options_for(servers, 30s);
    options.observer = std::move(by);
    return options;
  }

  asio::awaitable<void> connected() {
    co_await reported(1);
    expect({"connected"});
  }

  /// Waits inside a coroutine until so many lines were recorded since the last call of `expect`.
  /// The client changes its state before it reports the state to the observer.
  asio::awaitable<void> reported(std::size_t count) {
    const auto told = [this, count] { return seen->reports() >= count; };
    co_await eventually(told);
  }

  /// Waits inside a coroutine until so many acquires of the client wait.
  asio::awaitable<void> waiting(std::uint64_t count) {
    const auto there = [this, count] { return zk.stats().total.waiters == count; };
    co_await eventually(there);
  }

  /// Checks the lines since the last call, and that no span is kept beyond `spans`.
  void expect(const lines& wanted, long spans = 0) {
    BOOST_TEST(seen->taken() == wanted, boost::test_tools::per_element());
    BOOST_TEST(seen->kept() == spans);
  }
};

} // namespace zklock::test
