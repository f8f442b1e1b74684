// Every function of the library is called on several threads at a time, while two further threads
// run the clients.
#include "support/background.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/strand.hpp>
#include <boost/test/unit_test.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace zklock;
using namespace zklock::test;

namespace {

// Of each thread.
constexpr int calls = 3000;

client_options options_of(std::size_t number) {
  auto made = options_for(shared_server().address());
  if (number == 0) made.lock_cache.emplace();
  if (number == 1) made.local_handoffs = 3;
  return made;
}

/// The objects that all threads share.
struct shared_objects {
  background loops{2};
  std::array<client, 2> clients{client(loops.io, options_of(0)),
                                client(asio::make_strand(loops.io), options_of(1))};
  const std::string path = fresh_path();
  std::vector<any_lock> locks;
  std::vector<shared_mutex> shared;
  std::vector<hold> passed;
  std::mutex mutex;
  std::atomic<int> grants = 0;

  shared_objects() {
    for (auto& each : clients) {
      locks.push_back(zklock::mutex(each, path + "/a"));
      locks.push_back(zklock::mutex(each, path + "/b"));
      locks.push_back(semaphore(each, path + "/s", 2));
      shared.emplace_back(each, path + "/rw");
      locks.push_back(shared.back());
    }
  }
};

/// A thread that calls functions at random. Its handlers run on a context of its own.
class caller {
 public:
  caller(shared_objects& with, unsigned seed) : s_(with), random_(seed) {}

  void run() {
    for (int i = 0; i < calls; ++i) {
      call();
      io_.restart();
      if (one_of(2) == 0)
        io_.poll();
      else
        io_.run_for(std::chrono::microseconds(one_of(3000)));
      if (one_of(4) == 0) cancel();
    }
    cancel();
    held_.clear();
    io_.restart();
    io_.run_for(60s);
    ended_ = io_.stopped();
    // Acquires may have been granted before they were cancelled.
    held_.clear();
  }

  bool ended() const { return ended_; }

 private:
  std::size_t one_of(std::size_t count) { return random_() % count; }

  // Ends some of the operations under way.
  void cancel() {
    for (const auto& each : std::exchange(signals_, {}))
      if (const auto found = each.lock()) found->emit(asio::cancellation_type::terminal);
  }

  /// A token for any results: keeps holds.
  auto token() {
    const auto cancel = std::make_shared<asio::cancellation_signal>();
    signals_.push_back(cancel);
    auto ended = [this, cancel](auto&&... results) { (keep(std::move(results)), ...); };
    return asio::bind_cancellation_slot(cancel->slot(), asio::bind_executor(io_, std::move(ended)));
  }

  template <class Result>
  void keep(Result&&) {}
  void keep(hold&& got) {
    if (!got) return;
    ++s_.grants;
    if (one_of(3) == 0) return;
    held_.push_back(std::move(got));
    if (held_.size() > 1) held_.erase(held_.begin());
  }

  any_lock& a_lock() { return s_.locks[one_of(s_.locks.size())]; }
  client& a_client() { return s_.clients[one_of(2)]; }

  void call() {
    if (one_of(2) == 0) return call_lock();
    if (held_.empty()) return a_lock().acquire(token());
    auto& held = held_[one_of(held_.size())];
    switch (one_of(12)) {
    case 0:
      return held.release(token());
    case 1:
      held = hold();
      return;
    case 2:
      return held.wait_lost(token());
    case 3:
      return held.wait_release_requested(token());
    case 4:
      return held.set_identity("name " + std::to_string(one_of(3)), token());
    case 5:
      return held.commit(transaction().create(s_.path + "/n" + std::to_string(random_())), token());
    case 6:
      return held.downgrade(token());
    case 7: {
      const auto stop = held.get_stop_token();
      static_cast<void>(stop.stop_requested());
      return;
    }
    case 8:
      static_cast<void>(held.owns_lock() && held.token() > fencing_token() &&
                        held.path() == held.node() && held.state() == hold_state::held);
      return;
    case 9: {
      const std::lock_guard lock(s_.mutex);
      s_.passed.push_back(std::move(held));
      if (s_.passed.size() > 1) s_.passed.erase(s_.passed.begin());
      std::swap(held, s_.passed.front());
      return;
    }
    default:
      held_.erase(held_.begin());
    }
  }

  void call_lock() {
    auto& lock = a_lock();
    switch (one_of(18)) {
    case 0:
      return lock.acquire(token());
    case 1:
      return lock.acquire(std::chrono::microseconds(one_of(5000)), token());
    case 2:
      return lock.try_acquire(token());
    case 3:
      return lock.acquire({.timeout = 100ms, .hold_limit = 20ms}, token());
    case 4:
      return s_.shared[one_of(2)].acquire_shared(100ms, token());
    case 5:
      return lock.participants(token());
    case 6:
      return lock.count_waiting(token());
    case 7:
      return lock.wait_holder_changed(std::nullopt, token());
    case 8:
      if (one_of(10) == 0) lock.break_lock(token());
      return;
    case 9:
      return a_client().evict_cached(token());
    case 10:
      return a_client().held_locks(token());
    case 11:
      return a_client().awaited_locks(token());
    case 12:
      return a_client().find_locks(s_.path, token());
    case 13:
      static_cast<void>(a_client().stats().total.acquired + a_client().cached());
      return;
    case 14: {
      const multi_lock both(s_.locks[0], s_.locks[5]);
      return both.acquire(100ms, token());
    }
    case 15:
      return acquire_any({s_.locks[0], lock}, token());
    case 16: {
      auto body = [](hold& held) -> asio::awaitable<void> {
        asio::steady_timer pause(co_await asio::this_coro::executor, 1ms);
        co_await pause.async_wait(asio::use_awaitable);
        if (held.owns_lock()) co_await held.release();
      };
      asio::co_spawn(io_, with_lock(lock, 50ms, std::move(body)), [](const std::exception_ptr&) {});
      return;
    }
    default:
      if (one_of(20) == 0) shared_server().clients().cut();
      if (one_of(60) == 0) static_cast<void>(shared_server().expire(a_client().session_id()));
    }
  }

  shared_objects& s_;
  std::minstd_rand random_;
  asio::io_context io_{1};
  std::vector<std::weak_ptr<asio::cancellation_signal>> signals_;
  std::vector<hold> held_;
  bool ended_ = false;
};

} // namespace

BOOST_AUTO_TEST_SUITE(any_call, *boost::unit_test::timeout(240))

BOOST_AUTO_TEST_CASE(every_function_is_called_on_several_threads) {
  shared_objects s;
  std::array<std::unique_ptr<caller>, 3> callers;
  std::vector<std::thread> threads;
  unsigned seed = 0;
  for (auto& each : callers) {
    each = std::make_unique<caller>(s, ++seed);
    threads.emplace_back([&] { each->run(); });
  }
  for (auto& each : threads)
    each.join();
  for (const auto& each : callers)
    BOOST_TEST(each->ended());
  BOOST_TEST_MESSAGE(s.grants << " grants");

  // No entry and no permit of a caller is left that blocks a lock. On a slow machine the callers
  // may have cancelled each acquire before the servers replied.
  s.passed.clear();
  for (const auto& each : s.locks)
    BOOST_TEST(get(each.acquire(30s, asio::use_future)).owns_lock());
}

BOOST_AUTO_TEST_SUITE_END()
