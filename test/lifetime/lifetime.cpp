// Clients, locks, holds, waiters and contexts that end in any order.
#include <zklock/testing/relay.hpp>

#include "support/background.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

using namespace zklock;
using namespace zklock::test;

namespace {

// Entries go long before this where the session is ended, and not before it where the session is
// left to expire.
constexpr auto session_timeout = 60s;

asio::awaitable<void> work_with_lock(mutex lock, std::shared_ptr<int> witness) {
  auto body = [witness](hold& held) -> asio::awaitable<void> {
    BOOST_TEST(held.owns_lock());
    asio::steady_timer never(co_await asio::this_coro::executor,
                             asio::steady_timer::time_point::max());
    co_await never.async_wait(asio::use_awaitable);
  };
  co_await with_lock(lock, 60s, std::move(body));
}

asio::awaitable<void> wait_for_turn(mutex lock, std::shared_ptr<int>) {
  hold held = co_await lock.acquire();
  co_await held.release();
}

/// Shuts its services down twice, as every io_context of Boost 1.90 does.
struct thorough_context : asio::io_context {
  using asio::io_context::io_context;
  ~thorough_context() { shutdown(); }
};

/// Every kind of operation that can be under way.
struct ending_parts {
  ending_parts()
      : io(std::in_place, 1),
        zk(std::in_place, *io, options_for(shared_server().address(), session_timeout)),
        lock(std::in_place, *zk, paths[0]),
        busy(std::in_place, *zk, paths[1]) {
    auto keep = [this](error_code error, hold got) {
      if (!error) held = std::move(got);
    };
    lock->acquire(30s, keep);
    run_until(*io, [this] { return held.owns_lock(); });
    const auto token = std::make_shared<int>(0);
    alive = token;
    held.wait_lost([token](error_code, error_code) {});
    lock->acquire([token](error_code, hold) {});
    lock->acquire(30s, [token](error_code, hold) {});
    asio::co_spawn(*io, wait_for_turn(*lock, token), asio::detached);
    asio::co_spawn(*io, work_with_lock(*busy, token), asio::detached);
    asio::co_spawn(*io, work_with_lock(*busy, token), asio::detached);
    run_until(*io, [this] { return nodes() == 6; });
  }

  std::size_t nodes() { return entries(witness, paths[0]) + entries(witness, paths[1]); }

  // Destroys the next part.
  void destroy(int which) {
    switch (which) {
    case 0:
      return io.reset();
    case 1:
      return zk.reset();
    case 2:
      lock.reset();
      return busy.reset();
    default:
      held = hold();
    }
  }

  testing::raw_client witness{shared_server().direct_address()};
  const std::array<std::string, 2> paths{fresh_path(), fresh_path()};
  std::weak_ptr<int> alive;
  std::optional<thorough_context> io;
  std::optional<client> zk;
  std::optional<mutex> lock;
  std::optional<mutex> busy;
  hold held;
};

} // namespace

BOOST_AUTO_TEST_SUITE(lifetime, *boost::unit_test::timeout(180))

BOOST_AUTO_TEST_CASE(all_parts_can_be_destroyed_in_any_order) {
  std::array<int, 4> order{0, 1, 2, 3};
  do {
    ending_parts s;
    for (const int which : order) {
      s.destroy(which);
      if (which == 0) BOOST_TEST(s.alive.expired());
      // The state of the hold once the context is gone.
      if (!s.io && s.held.state() != hold_state::empty) {
        BOOST_TEST(!s.held.owns_lock());
        BOOST_TEST((s.held.state() == hold_state::lost));
        BOOST_TEST((s.held.valid_until() == boot_clock::time_point::min()));
        BOOST_TEST(s.held.token() > fencing_token());
      }
      // Work in the background is done in part, or not at all.
      if (s.io && order[3] != 0) s.io->poll_one();
    }
    wait_until([&] { return s.nodes() == 0; });
  } while (std::next_permutation(order.begin(), order.end()));
}

BOOST_AUTO_TEST_CASE(context_runs_out_of_work_after_its_client_is_destroyed) {
  ending_parts s;
  s.zk.reset();
  s.io->restart();
  // Waiting operations are refused, and no work keeps the context busy.
  s.io->run_for(30s);
  BOOST_TEST(s.io->stopped());
  BOOST_TEST(s.alive.expired());
  BOOST_TEST((s.held.state() == hold_state::lost));
  BOOST_TEST(s.nodes() == 0u);
}

BOOST_AUTO_TEST_CASE(operation_after_its_context_is_destroyed_does_nothing) {
  ending_parts s;
  s.io.reset();
  const auto never = [](auto&&...) { BOOST_ERROR("nothing can call this"); };
  s.lock->acquire(never);
  s.lock->acquire(1s, never);
  s.lock->try_acquire(never);
  s.held.wait_lost(never);
  s.held.release(never);
  s.zk->close(never);
  BOOST_TEST(!s.zk->connected());
  wait_until([&] { return s.nodes() == 0; });
}

BOOST_AUTO_TEST_CASE(hold_is_released_and_destroyed_on_another_thread) {
  background context;
  asio::thread_pool elsewhere(1);
  client zk(context.io, options_for(shared_server().address()));
  const auto path = fresh_path();
  mutex lock(zk, path);
  testing::raw_client witness(shared_server().direct_address());
  for (int i = 0; i < 20; ++i) {
    std::promise<void> done;
    hold held = get(lock.acquire(30s, asio::use_future));
    asio::post(elsewhere, [held = std::move(held), &done, i]() mutable {
      if (i % 2 == 0) held.release(asio::use_future).get();
      held = hold();
      done.set_value();
    });
    get(done.get_future());
    BOOST_TEST((held.state() == hold_state::empty));
  }
  wait_until([&] { return entries(witness, path) == 0; });
}

BOOST_AUTO_TEST_CASE(client_can_be_moved_while_it_is_used) {
  background context;
  const auto options = options_for(shared_server().address(), session_timeout);
  testing::raw_client witness(shared_server().direct_address());
  const auto path = fresh_path();
  std::optional<client> first(std::in_place, context.io, options);
  mutex lock(*first, path);
  hold held = get(lock.acquire(30s, asio::use_future));
  auto next = lock.acquire(asio::use_future);
  client second(std::move(*first));
  first.reset();
  BOOST_TEST(second.connected());
  BOOST_TEST(held.owns_lock());
  held = hold();
  held = get(next);
  BOOST_TEST(held.owns_lock());
  BOOST_TEST(get(mutex(second, path + "/below").acquire(30s, asio::use_future)).owns_lock());

  // Another client is assigned, which closes the first.
  next = lock.acquire(asio::use_future);
  auto lost = held.wait_lost(asio::use_future);
  second = client(context.io, options);
  BOOST_TEST((error_of(next) == errc::closed));
  BOOST_TEST((get(lost) == errc::closed));
  BOOST_TEST(get(mutex(second, path).acquire(30s, asio::use_future)).owns_lock());
}

BOOST_AUTO_TEST_CASE(client_that_never_connected_can_be_destroyed) {
  testing::relay door(shared_server().direct_address());
  door.refuse();
  for (const bool silent : {false, true}) {
    if (silent) {
      door.silence();
      door.accept();
    }
    background context;
    std::optional<client> zk(std::in_place, context.io, options_for(door.address()));
    auto waiting = mutex(*zk, fresh_path()).acquire(asio::use_future);
    auto trying = mutex(*zk, fresh_path()).try_acquire(asio::use_future);
    zk.reset();
    BOOST_TEST((error_of(waiting) == errc::closed));
    BOOST_TEST((error_of(trying) == errc::closed));
  }
}

BOOST_AUTO_TEST_CASE(looks_end_with_their_client_in_the_order_in_which_they_began) {
  testing::relay door(shared_server().direct_address());
  door.refuse();
  asio::io_context io{1};
  std::optional<client> zk(std::in_place, io, options_for(door.address()));
  const mutex lock(*zk, fresh_path());
  std::vector<int> ended;
  for (int i = 0; i < 50; ++i)
    lock.participants([&ended, i](error_code error, const auto&) {
      BOOST_TEST((error == errc::closed));
      ended.push_back(i);
    });
  io.poll();
  zk.reset();
  run_until(io, [&] { return ended.size() == 50; });
  BOOST_TEST(std::is_sorted(ended.begin(), ended.end()));
}

BOOST_AUTO_TEST_CASE(handler_may_destroy_client_lock_and_hold) {
  testing::raw_client witness(shared_server().direct_address());
  const auto path = fresh_path();
  asio::io_context io{1};
  std::optional<client> zk(std::in_place, io,
                           options_for(shared_server().address(), session_timeout));
  std::optional<mutex> lock(std::in_place, *zk, path);
  bool refused = false;
  lock->acquire([&](error_code, hold held) {
    lock->acquire([&](error_code error, hold) { refused = error == errc::closed; });
    held.wait_lost([&](error_code, error_code) { lock.reset(); });
    zk.reset();
  });
  io.run_for(30s);
  BOOST_TEST(refused);
  BOOST_TEST(io.stopped());
  BOOST_TEST(entries(witness, path) == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
