// A client, its locks and its holds are used on one thread while another thread destroys their
// execution context.
#include "support/background.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/test/unit_test.hpp>

#include <array>
#include <barrier>
#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>

using namespace zklock;
using namespace zklock::test;

namespace {

const auto ignored = [](auto&&...) {};

/// The executor of every second client is a strand.
template <class Context>
asio::any_io_executor executor_of(Context& context, std::size_t number) {
  if (number % 2 == 0) return asio::make_strand(context);
  return context.get_executor();
}

/// Calls a function while another thread destroys the context.
template <class Context, class Function>
void race(std::optional<Context>& context, Function function) {
  std::barrier begin(2);
  std::thread other([&] {
    begin.arrive_and_wait();
    function();
  });
  begin.arrive_and_wait();
  context.reset();
  other.join();
}

/// Starts operations whose handlers have a context of their own, and runs it until all have ended.
template <class Start>
void run_elsewhere(Start start) {
  asio::io_context own{1};
  start(own);
  own.run_for(30s);
  BOOST_TEST(own.stopped());
}

/// A body that waits until it is cancelled.
template <class Hold>
asio::awaitable<void> wait(Hold&) {
  asio::steady_timer never(co_await asio::this_coro::executor,
                           asio::steady_timer::time_point::max());
  co_await never.async_wait(asio::use_awaitable);
}

/// A client that cannot connect.
struct lonely_client {
  explicit lonely_client(std::size_t number)
      : zk(std::in_place, executor_of(*io, number), options_for("127.0.0.1:1")) {}

  /// Leaves the last reference to the client with the lock.
  void let_client_go() {
    zk.reset();
    io->run();
  }

  std::optional<asio::io_context> io{std::in_place, 1};
  std::optional<client> zk;
  std::optional<mutex> lock{std::in_place, *zk, "/lock"};
};

/// A client with a hold, and with a cached lock that is not held.
template <class Context>
struct holder {
  holder(std::size_t number, const std::string& path)
      : zk(std::in_place, executor_of(*context, number), options()),
        lock(*zk, path),
        cached(*zk, path + "-cached") {
    acquire(cached);
    held = hold();
    acquire(lock);
  }

  static client_options options() {
    auto made = options_for(shared_server().address());
    made.lock_cache.emplace();
    return made;
  }

  void acquire(const mutex& which) {
    auto got = which.acquire(30s, asio::use_future);
    if constexpr (std::is_same_v<Context, asio::io_context>)
      run_until(*context, [&] { return is_ready(got); });
    held = get(got);
  }

  std::optional<Context> context{std::in_place, 1};
  std::optional<client> zk;
  mutex lock;
  mutex cached;
  hold held;
};

/// Uses a client, its locks and its holds.
template <class Context>
void use(holder<Context>& s, std::size_t way) {
  switch (way % 13) {
  case 0:
    s.held = hold();
    break;
  case 1:
    s.held.release(ignored);
    break;
  case 2:
    s.held.wait_lost(ignored);
    break;
  case 3:
    s.held.wait_release_requested(ignored);
    break;
  case 4:
    s.held.set_identity("another", ignored);
    break;
  case 5:
    s.held.commit(transaction().create("/node"), ignored);
    break;
  case 6: {
    const std::stop_callback stop(s.held.get_stop_token(), ignored);
    while (s.held.owns_lock()) {}
    break;
  }
  case 7: {
    for (int i = 0; i < 20; ++i)
      s.cached.acquire(ignored);
    break;
  }
  case 8: {
    for (int i = 0; i < 20; ++i)
      static_cast<void>(s.zk->stats().total.acquired + s.zk->cached());
    s.zk.reset();
    break;
  }
  case 9: {
    multi_lock(s.lock, s.cached).acquire(ignored);
    acquire_any({s.lock, s.cached}, ignored);
    break;
  }
  case 10: {
    s.zk->evict_cached(ignored);
    s.zk->set_servers("127.0.0.1:1");
    s.lock.break_lock(ignored);
    break;
  }
  case 11: {
    run_elsewhere([&](asio::io_context& own) {
      s.held.wait_lost(asio::bind_executor(asio::make_strand(own), ignored));
      multi_lock(s.lock, s.cached).acquire(asio::bind_executor(own, ignored));
      s.cached.acquire(asio::bind_executor(own, ignored));
      s.lock.participants(asio::bind_executor(own, ignored));
    });
    break;
  }
  default:
    run_elsewhere([&](asio::io_context& own) {
      asio::co_spawn(own, with_lock(s.cached, wait<hold>), ignored);
    });
  }
}

using contexts = std::tuple<asio::io_context, asio::thread_pool>;

} // namespace

BOOST_AUTO_TEST_SUITE(other_thread, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(client_is_used_while_its_context_is_destroyed) {
  using use = std::function<void(lonely_client&)>;
  const std::array<use, 4> uses{
      [](lonely_client& s) { s.zk.reset(); },
      [](lonely_client& s) { s.zk->close(ignored); },
      [](lonely_client& s) { s.lock->acquire(1h, ignored); },
      [](lonely_client& s) { s.lock->participants(ignored); },
  };
  for (std::size_t i = 0; i < 2000; ++i) {
    lonely_client s(i);
    race(s.io, [&] { uses.at(i / 2 % uses.size())(s); });
  }
}

BOOST_AUTO_TEST_CASE(client_is_let_go_while_its_context_is_destroyed) {
  for (std::size_t i = 0; i < 2000; ++i) {
    lonely_client s(i);
    s.let_client_go();
    race(s.io, [&] { s.lock.reset(); });
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(holds_are_used_while_their_context_is_destroyed, Context, contexts) {
  const auto path = fresh_path();
  for (std::size_t i = 0; i < 260; ++i) {
    holder<Context> s(i, path + "-" + std::to_string(i));
    race(s.context, [&] { use(s, i / 2); });
  }
}

// The operations are of several locks, whose clients have different contexts.
BOOST_AUTO_TEST_CASE(two_contexts_are_destroyed_at_a_time) {
  const auto path = fresh_path();
  for (std::size_t i = 0; i < 100; ++i) {
    holder<asio::io_context> one(i, path + "-one-" + std::to_string(i));
    holder<asio::io_context> two(i / 2, path + "-two-" + std::to_string(i));
    const multi_lock held(one.lock, two.lock);
    const multi_lock free(one.cached, two.cached);
    run_elsewhere([&](asio::io_context& own) {
      held.acquire(asio::bind_executor(own, ignored));
      acquire_any({two.lock, one.lock}, asio::bind_executor(own, ignored));
      asio::co_spawn(own, with_lock(free, wait<multi_hold>), ignored);
      own.poll();
      std::barrier begin(3);
      const auto destroy = [&](auto& s) {
        return std::thread([&] {
          begin.arrive_and_wait();
          s.context.reset();
        });
      };
      std::array both{destroy(one), destroy(two)};
      begin.arrive_and_wait();
      own.run_for(30s);
      for (auto& each : both)
        each.join();
    });
  }
}

BOOST_AUTO_TEST_SUITE_END()
