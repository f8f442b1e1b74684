// Every function that waits, in every style of waiting that Asio has.
#include <zklock/election.hpp>

#include "support/background.hpp"
#include "support/scene.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/experimental/channel.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstddef>
#include <exception>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace zklock;
using namespace zklock::test;
using namespace asio::experimental::awaitable_operators;

namespace {

asio::awaitable<void> body() {
  co_return;
}

/// What a function is called on.
struct subject {
  subject(const client& zk, client other)
      : theirs(std::move(other)),
        lock(zk, path),
        second(zk, path + "-second"),
        third(zk, path + "-third"),
        shared(zk, path + "-shared"),
        permits(zk, path + "-permits", 2),
        leader(zk, path + "-leader") {}

  /// Holds all locks but the permits and the leader's.
  void hold_all() {
    held = get(lock.acquire(10s, asio::use_future));
    both = get(multi_lock(second, third).acquire(10s, asio::use_future));
    writes = get(shared.acquire(10s, asio::use_future));
    holder = get(lock.holders(asio::use_future)).at(0);
  }

  /// Has another client hold all locks but the second one.
  void have_all_taken() {
    const auto take = [this](const any_lock& taken) {
      in_the_way.push_back(get(taken.acquire(10s, asio::use_future)));
    };
    take(mutex(theirs, path));
    take(shared_mutex(theirs, path + "-shared"));
    take(semaphore(theirs, path + "-permits", 2).permits(2));
    take(election(theirs, path + "-leader").lock());
  }

  const std::string path = fresh_path();
  client theirs;
  mutex lock;
  mutex second;
  mutex third;
  shared_mutex shared;
  semaphore permits;
  election leader;
  hold held;
  multi_hold both;
  hold writes;
  participant holder;
  std::vector<hold> in_the_way{};
};

/// A function that waits. `start` starts the function on a subject with a token, and `prepare`
/// makes the subject ready for that.
template <class Signature, class Prepare, class Start>
struct function {
  using signature = Signature;

  std::string name;
  Prepare prepare;
  Start start;
};

template <class Signature, class Prepare, class Start>
auto make(std::string name, Prepare prepare, Start start) {
  return function<Signature, Prepare, Start>{std::move(name), prepare, start};
}

constexpr auto nothing = [](subject&) {};
constexpr auto held = [](subject& s) { s.hold_all(); };
constexpr auto taken = [](subject& s) { s.have_all_taken(); };

using acquired = void(error_code, hold);
using done = void(error_code);
using participants = void(error_code, std::vector<participant>);
using counted = void(error_code, std::size_t);
using run_to_end = void(std::exception_ptr);

/// The functions that wait for a lock: with no wish but the lock.
template <class Prepare>
auto functions_of_waiters(Prepare prepare) {
  return std::tuple(
      make<acquired>("acquire", prepare,
                     [](subject& s, auto token) { return s.lock.acquire(std::move(token)); }),
      make<acquired>(
          "acquire_shared", prepare,
          [](subject& s, auto token) { return s.shared.acquire_shared(std::move(token)); }),
      make<acquired>("acquire of permits", prepare,
                     [](subject& s, auto token) { return s.permits.acquire(2, std::move(token)); }),
      make<void(error_code, std::size_t, hold)>(
          "acquire_any", prepare,
          [](subject& s, auto token) {
            return acquire_any(std::vector<any_lock>{s.lock, s.shared}, std::move(token));
          }),
      make<void(error_code, multi_hold)>(
          "multi_lock::acquire", prepare,
          [](subject& s, auto token) {
            return multi_lock(s.lock, s.second).acquire(std::move(token));
          }),
      make<run_to_end>(
          "with_lock", prepare,
          [](subject& s, auto token) { return with_lock(s.lock, body, std::move(token)); }),
      make<run_to_end>("election::run", prepare, [](subject& s, auto token) {
        return s.leader.run(body, std::move(token));
      }));
}

/// The functions that wait for an event of a lock that is held. `prepare` decides whether the event
/// has happened.
template <class Prepare>
auto functions_of_watchers(Prepare prepare) {
  return std::tuple(
      make<void(error_code, error_code)>(
          "wait_lost", prepare,
          [](subject& s, auto token) { return s.held.wait_lost(std::move(token)); }),
      make<void(error_code, error_code)>(
          "multi_hold::wait_lost", prepare,
          [](subject& s, auto token) { return s.both.wait_lost(std::move(token)); }),
      make<void(error_code, std::string)>(
          "wait_release_requested", prepare,
          [](subject& s, auto token) { return s.writes.wait_release_requested(std::move(token)); }),
      make<void(error_code, std::optional<participant>)>(
          "wait_holder_changed", prepare, [](subject& s, auto token) {
            return s.lock.wait_holder_changed(s.holder, std::move(token));
          }));
}

/// The functions that end soon.
auto quick_functions() {
  return std::tuple(
      make<acquired>("try_acquire", nothing,
                     [](subject& s, auto token) { return s.lock.try_acquire(std::move(token)); }),
      make<void(error_code, multi_hold)>(
          "multi_lock::try_acquire", nothing,
          [](subject& s, auto token) {
            return multi_lock(s.lock, s.second).try_acquire(std::move(token));
          }),
      make<done>("release", held,
                 [](subject& s, auto token) { return s.held.release(std::move(token)); }),
      make<done>("multi_hold::release", held,
                 [](subject& s, auto token) { return s.both.release(std::move(token)); }),
      make<done>(
          "set_identity", held,
          [](subject& s, auto token) { return s.held.set_identity("changed", std::move(token)); }),
      make<done>("downgrade", held,
                 [](subject& s, auto token) { return s.writes.downgrade(std::move(token)); }),
      make<void(error_code, commit_result)>(
          "commit", held,
          [](subject& s, auto token) {
            return s.held.commit(transaction().create(s.path + "-node"), std::move(token));
          }),
      make<participants>(
          "participants", held,
          [](subject& s, auto token) { return s.lock.participants(std::move(token)); }),
      make<participants>("holders", held,
                         [](subject& s, auto token) { return s.lock.holders(std::move(token)); }),
      make<counted>("count_waiting", held,
                    [](subject& s, auto token) { return s.lock.count_waiting(std::move(token)); }),
      make<done>("request_release", held,
                 [](subject& s, auto token) {
                   return s.lock.request_release(s.holder, std::move(token));
                 }),
      make<counted>("break_lock", held,
                    [](subject& s, auto token) { return s.lock.break_lock(std::move(token)); }),
      make<void(error_code, std::vector<found_lock>)>(
          "find_locks", held,
          [](subject& s, auto token) { return s.theirs.find_locks("/test", std::move(token)); }),
      make<void(error_code, std::vector<held_lock>)>(
          "held_locks", held,
          [](subject& s, auto token) { return s.theirs.held_locks(std::move(token)); }),
      make<void(error_code, std::vector<awaited_lock>)>(
          "awaited_locks", held,
          [](subject& s, auto token) { return s.theirs.awaited_locks(std::move(token)); }),
      make<done>("evict_cached", nothing,
                 [](subject& s, auto token) { return s.theirs.evict_cached(std::move(token)); }),
      make<done>("close", nothing,
                 [](subject& s, auto token) { return s.theirs.close(std::move(token)); }));
}

void have_all_happened(subject& s) {
  s.hold_all();
  participant writer;
  writer.node = s.writes.node();
  get(s.shared.request_release(writer, asio::use_future));
  BOOST_TEST(get(s.lock.break_lock(asio::use_future)) == 1u);
  BOOST_TEST(get(s.second.break_lock(asio::use_future)) == 1u);
}

template <class Start, class Token>
asio::awaitable<void> await(Start start, subject& s, Token token) {
  static_cast<void>(co_await start(s, token));
}

/// Waits for either, and returns the index of the first one that has ended.
asio::awaitable<std::size_t> first_of(asio::awaitable<void> one, asio::awaitable<void> two) {
  const auto ended = co_await (std::move(one) || std::move(two));
  co_return ended.index();
}

asio::awaitable<void> both_of(asio::awaitable<void> one, asio::awaitable<void> two) {
  co_await (std::move(one) && std::move(two));
}

asio::awaitable<void> pause(std::chrono::milliseconds duration) {
  asio::steady_timer timer(co_await asio::this_coro::executor, duration);
  co_await timer.async_wait(asio::use_awaitable);
}

/// Starts an operation and a timer as a group. Returns which of them has ended first, and whether
/// the operation failed.
template <class Start>
asio::awaitable<std::pair<std::size_t, bool>> group(Start start, subject& s,
                                                    std::chrono::milliseconds limit) {
  asio::steady_timer timer(co_await asio::this_coro::executor, limit);
  const auto ended = co_await asio::experimental::make_parallel_group(
                         start(s, asio::deferred), timer.async_wait(asio::deferred))
                         .async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
  co_return std::pair(std::get<0>(ended)[0], static_cast<bool>(std::get<1>(ended)));
}

/// Sends the results of an operation through a channel, and receives them.
template <class Signature>
struct by_channel;

template <class Failure, class... Results>
struct by_channel<void(Failure, Results...)> {
  template <class Start>
  static asio::awaitable<void> pass(Start start, subject& s) {
    asio::experimental::channel<void(Failure, Results...)> results(
        co_await asio::this_coro::executor, 1);
    start(s, [&](Failure failure, Results... all) {
      results.async_send(failure, std::move(all)..., asio::detached);
    });
    if constexpr (sizeof...(Results) == 0)
      co_await results.async_receive(asio::use_awaitable);
    else
      static_cast<void>(co_await results.async_receive(asio::use_awaitable));
  }
};

/// The tests break many locks, so the clients do not log that.
scene_options without_log() {
  scene_options options;
  options.ours.log = [](log_level, std::string_view) {};
  return options;
}

struct in_every_style : two_blocking_clients {
  in_every_style() : two_blocking_clients(without_log()) {}

  subject make_subject() { return {zk, client(io, options_for(shared_server().address()))}; }

  /// Waits for a coroutine on the client's context.
  template <class T>
  auto finish(asio::awaitable<T> coroutine) {
    return get(asio::co_spawn(io, std::move(coroutine), asio::use_future));
  }

  template <class Function>
  void use_in_every_style(const Function& function) {
    const auto& start = function.start;
    const auto in = [&](const std::string& style, auto use) {
      BOOST_TEST_CONTEXT(function.name << ", " << style) {
        auto s = make_subject();
        function.prepare(s);
        BOOST_CHECK_NO_THROW(use(s));
      }
    };
    in("callback", [&](subject& s) {
      const auto ended = std::make_shared<std::promise<bool>>();
      start(s, [ended](auto failure, auto&&...) { ended->set_value(!failure); });
      BOOST_TEST(get(ended->get_future()));
    });
    in("future", [&](subject& s) { static_cast<void>(get(start(s, asio::use_future))); });
    in("awaitable", [&](subject& s) { finish(await(start, s, asio::use_awaitable)); });
    in("deferred", [&](subject& s) { finish(await(start, s, asio::deferred)); });
    in("awaitable on a thread pool", [&](subject& s) {
      get(asio::co_spawn(pool, await(start, s, asio::use_awaitable), asio::use_future));
    });
    in("channel",
       [&](subject& s) { finish(by_channel<typename Function::signature>::pass(start, s)); });
    in("parallel_group", [&](subject& s) {
      const auto [first, failed] = finish(group(start, s, 30s));
      BOOST_TEST(first == 0u);
      BOOST_TEST(!failed);
    });
    in("||", [&](subject& s) {
      BOOST_TEST(finish(first_of(await(start, s, asio::use_awaitable), pause(30s))) == 0u);
    });
    in("&&",
       [&](subject& s) { finish(both_of(await(start, s, asio::use_awaitable), pause(1ms))); });
  }

  template <class Function>
  void cancel_in_every_style(const Function& function) {
    const auto& start = function.start;
    const auto in = [&](const std::string& style, auto use) {
      BOOST_TEST_CONTEXT(function.name << ", " << style) {
        auto s = make_subject();
        function.prepare(s);
        const auto count = [&] {
          std::size_t all = 0;
          for (const auto* part :
               {"", "-second", "-third", "-shared", "-permits/leases", "-leader"})
            all += entries(witness, s.path + part);
          return all;
        };
        const auto before = count();
        BOOST_CHECK_NO_THROW(use(s));
        wait_until([&] { return count() == before; });
      }
    };
    in("parallel_group", [&](subject& s) {
      const auto [first, failed] = finish(group(start, s, 20ms));
      BOOST_TEST(first == 1u);
      BOOST_TEST(failed);
    });
    in("||", [&](subject& s) {
      BOOST_TEST(finish(first_of(await(start, s, asio::use_awaitable), pause(20ms))) == 1u);
    });
  }

  template <class... Functions>
  void use_all(const std::tuple<Functions...>& functions) {
    std::apply([&](const auto&... each) { (use_in_every_style(each), ...); }, functions);
  }
  template <class... Functions>
  void cancel_all(const std::tuple<Functions...>& functions) {
    std::apply([&](const auto&... each) { (cancel_in_every_style(each), ...); }, functions);
  }

  asio::thread_pool pool{2};
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(waiting, in_every_style, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(for_a_free_lock_works_in_every_style) {
  use_all(functions_of_waiters(nothing));
}

BOOST_AUTO_TEST_CASE(for_an_event_works_in_every_style) {
  use_all(functions_of_watchers(have_all_happened));
}

BOOST_AUTO_TEST_CASE(for_a_reply_works_in_every_style) {
  use_all(quick_functions());
}

BOOST_AUTO_TEST_CASE(for_a_taken_lock_is_cancelled_in_every_style) {
  cancel_all(functions_of_waiters(taken));
}

BOOST_AUTO_TEST_CASE(for_an_event_is_cancelled_in_every_style) {
  cancel_all(functions_of_watchers(held));
}

BOOST_AUTO_TEST_SUITE_END()
