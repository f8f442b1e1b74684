// Clients that several threads run and use at the same time. Only the locks protect what they
// share.
#include "support/background.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/test/unit_test.hpp>

#include <array>
#include <atomic>
#include <memory>
#include <random>
#include <vector>

using namespace zklock;
using namespace zklock::test;

namespace {

// Plain numbers: the lock must protect them.
struct account {
  int inside = 0;
  int visits = 0;
  bool overlapped = false;
  fencing_token last;
};

// Results of all threads, for the test's own thread to check.
struct notes {
  std::atomic<int> visits{0};
  std::atomic<int> surprises{0};
  std::atomic<int> losses{0};
};

/// A user of the lock, in a strand of its own.
class visitor : public std::enable_shared_from_this<visitor> {
 public:
  visitor(asio::io_context& io, asio::thread_pool& elsewhere, mutex lock, account& shared,
          notes& seen, unsigned seed)
      : strand_(asio::make_strand(io)),
        elsewhere_(elsewhere),
        lock_(std::move(lock)),
        shared_(shared),
        seen_(seen),
        random_(seed) {}

  std::future<void> start(int turns) {
    return asio::co_spawn(strand_, visit(turns, shared_from_this()), asio::use_future);
  }

 private:
  asio::awaitable<void> visit(int turns, std::shared_ptr<visitor>) {
    for (int i = 0; i < turns; ++i) {
      hold held;
      const auto error = co_await acquire(held);
      if (error == errc::closed) co_return;
      // Some give up before the servers have confirmed an entry.
      if (error && error != errc::timed_out && error != errc::not_connected &&
          error != errc::busy && error != asio::error::operation_aborted)
        ++seen_.surprises;
      if (held) co_await enter(std::move(held));
    }
  }

  asio::awaitable<error_code> acquire(hold& held) {
    constexpr auto token = as_result;
    std::tuple<error_code, hold> result;
    switch (random_() % 6) {
    case 0:
      result = co_await lock_.try_acquire(token);
      break;
    case 1:
      result = co_await lock_.acquire(std::chrono::microseconds(random_() % 5000), token);
      break;
    case 2: {
      const auto cancel = std::make_shared<asio::cancellation_signal>();
      asio::steady_timer timer(strand_, std::chrono::microseconds(random_() % 5000));
      timer.async_wait([cancel](error_code over) {
        if (!over) cancel->emit(asio::cancellation_type::total);
      });
      result = co_await lock_.acquire(asio::bind_cancellation_slot(cancel->slot(), token));
      break;
    }
    default:
      result = co_await lock_.acquire(60s, token);
    }
    held = std::move(std::get<1>(result));
    co_return std::get<0>(result);
  }

  asio::awaitable<void> enter(hold held) {
    held.wait_lost(
        asio::bind_executor(strand_, [self = shared_from_this()](error_code error, error_code) {
          self->seen_.losses += !error;
        }));
    shared_.overlapped |= ++shared_.inside != 1 || held.token() <= shared_.last;
    shared_.last = held.token();
    ++shared_.visits;
    co_await asio::post(strand_, asio::use_awaitable);
    // Without the hold the account must not be touched.
    if (!held.owns_lock()) {
      ++seen_.surprises;
      co_return;
    }
    --shared_.inside;
    ++seen_.visits;
    switch (random_() % 3) {
    case 0:
      co_await held.release(as_result);
      break;
    case 1:
      asio::post(elsewhere_, [held = std::move(held)]() mutable { held = hold(); });
      break;
    default:
      break;
    }
  }

  asio::strand<asio::io_context::executor_type> strand_;
  asio::thread_pool& elsewhere_;
  mutex lock_;
  account& shared_;
  notes& seen_;
  std::minstd_rand random_;
};

} // namespace

BOOST_AUTO_TEST_SUITE(threads, *boost::unit_test::timeout(240))

BOOST_AUTO_TEST_CASE(many_threads_clients_and_coroutines_exclude_each_other) {
  constexpr int visitors = 8;
  constexpr int turns = 40;
  std::array<account, 2> shared;
  notes seen;
  asio::thread_pool elsewhere(2);
  const std::array<std::string, 2> paths{fresh_path(), fresh_path()};
  testing::raw_client witness(shared_server().direct_address());
  {
    background context(4);
    std::vector<client> clients;
    for (int i = 0; i < 4; ++i)
      clients.emplace_back(context.io, options_for(shared_server().address(), 30s));
    // Before that, a timed out acquire gets another error.
    for (const auto& zk : clients)
      wait_until([&] { return zk.connected(); });
    std::vector<std::future<void>> done;
    unsigned seed = 1;
    for (const auto& zk : clients)
      for (int i = 0; i < visitors; ++i, ++seed)
        for (std::size_t which : {0u, 1u})
          done.push_back(std::make_shared<visitor>(context.io, elsewhere, mutex(zk, paths[which]),
                                                   shared[which], seen, seed)
                             ->start(turns));
    for (auto& each : done)
      get(each);
    elsewhere.join();
    for (const auto& path : paths)
      wait_until([&] { return entries(witness, path) == 0; });
    for (auto& zk : clients)
      get(zk.close(asio::use_future));
  }
  BOOST_TEST(seen.surprises == 0);
  BOOST_TEST(seen.losses == 0);
  BOOST_TEST(seen.visits > 0);
  BOOST_TEST(shared[0].visits + shared[1].visits == seen.visits);
  BOOST_TEST((shared[0].inside == 0 && shared[1].inside == 0));
  BOOST_TEST((!shared[0].overlapped && !shared[1].overlapped));
}

BOOST_AUTO_TEST_CASE(clients_are_closed_and_destroyed_while_other_threads_use_them) {
  for (const bool closing : {true, false}) {
    // A record for each client: a lock lost by closing a client may soon be held by another client.
    std::array<account, 2> shared;
    notes seen;
    asio::thread_pool elsewhere(1);
    const auto path = fresh_path();
    background context(4);
    std::vector<client> clients;
    for (int i = 0; i < 2; ++i)
      clients.emplace_back(context.io, options_for(shared_server().address(), 30s));
    std::vector<std::future<void>> done;
    for (unsigned i = 0; i < 16; ++i)
      done.push_back(std::make_shared<visitor>(context.io, elsewhere, mutex(clients[i % 2], path),
                                               shared[i % 2], seen, i)
                         ->start(1'000'000));
    wait_until([&] { return seen.visits > 100; });
    if (closing) {
      auto first = clients[0].close(asio::use_future);
      get(clients[1].close(asio::use_future));
      get(first);
    }
    clients.clear();
    for (auto& each : done)
      get(each);
    elsewhere.join();
    testing::raw_client witness(shared_server().direct_address());
    wait_until([&] { return entries(witness, path) == 0; });
    BOOST_TEST((!shared[0].overlapped && !shared[1].overlapped));
  }
}

BOOST_AUTO_TEST_CASE(one_lock_object_is_used_by_all_threads_at_once) {
  background context(4);
  client zk(context.io, options_for(shared_server().address(), 30s));
  mutex lock(zk, fresh_path());
  hold held = get(lock.acquire(30s, asio::use_future));
  std::atomic<int> wrong{0};
  asio::thread_pool users(4);
  for (int i = 0; i < 4; ++i)
    asio::post(users, [&] {
      for (int k = 0; k < 200; ++k) {
        wrong += !held.owns_lock() || held.state() != hold_state::held;
        wrong += held.valid_until() < boot_clock::now() || held.token() == fencing_token();
        wrong += held.node().empty() || !zk.connected() || zk.session_id() == 0;
        wrong += zk.session_timeout() != 30s || lock.path().empty();
        wrong += get(lock.try_acquire(asio::use_future)).state() != hold_state::empty;
        held.wait_lost([](error_code, error_code) {});
      }
    });
  users.join();
  BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_SUITE_END()
