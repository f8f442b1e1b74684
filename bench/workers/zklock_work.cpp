#include "zklock_work.hpp"

#include <zklock/zklock.hpp>

#include "zklock_sleep.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <unistd.h>

#include <iostream>
#include <stdexcept>
#include <string>

namespace bench {

namespace asio = boost::asio;

namespace {

std::chrono::microseconds random_pause(zklock_worker& worker) {
  std::uniform_int_distribution<std::chrono::microseconds::rep> any(0, worker.chosen.pause.count());
  return std::chrono::microseconds(any(worker.dice));
}

// A single coroutine, as in a user's program: each frame costs memory, which is measured.
asio::awaitable<void> keep_cycling(zklock_worker& worker, std::size_t waiter) {
  for (std::size_t turn = waiter;; turn += worker.chosen.waiters) {
    zklock::mutex& lock = worker.locks[turn % worker.locks.size()];
    if (worker.chosen.pause.count() > 0) co_await sleep_until(clock::now() + random_pause(worker));
    cycle one{};
    one.started = clock::now();
    zklock::hold hold = co_await lock.acquire();
    one.held = one.released = clock::now();
    if (worker.chosen.keep.count() > 0) {
      co_await sleep_until(one.held + worker.chosen.keep);
      one.released = clock::now();
    }
    co_await hold.release();
    one.ended = clock::now();
    worker.seen.add(one);
  }
}

asio::awaitable<void> release_in_background(zklock_worker& worker, std::size_t waiter) {
  zklock::mutex& lock = worker.locks[waiter % worker.locks.size()];
  for (;;) {
    cycle one{};
    one.started = clock::now();
    {
      const zklock::hold hold = co_await lock.acquire();
      one.held = one.released = clock::now();
    }
    one.ended = clock::now();
    worker.seen.add(one);
  }
}

asio::awaitable<void> keep_cycling_uncached(zklock_worker& worker, std::size_t waiter) {
  zklock::mutex& lock = worker.locks[waiter % worker.locks.size()];
  for (;;)
    co_await use_once(worker, lock, zklock::acquire_options{.cache = false});
}

asio::awaitable<void> make_an_object_each_time(zklock_worker& worker, std::size_t waiter) {
  const auto path = lock_of(worker.chosen, waiter % worker.locks.size());
  for (;;) {
    zklock::mutex lock(worker.client, path);
    co_await use_once(worker, lock);
  }
}

asio::awaitable<void> use_each_once(zklock_worker& worker, std::size_t waiter) {
  const std::string begin = worker.chosen.path + "/" + std::to_string(waiter) + "-";
  for (std::size_t turn = 0;; ++turn) {
    zklock::mutex lock(worker.client, begin + std::to_string(turn));
    co_await use_once(worker, lock);
  }
}

asio::awaitable<void> keep_trying(zklock_worker& worker, std::size_t waiter) {
  zklock::mutex& lock = worker.locks[waiter % worker.locks.size()];
  for (;;) {
    cycle one{};
    one.started = clock::now();
    const zklock::hold hold = co_await lock.try_acquire(asio::use_awaitable);
    one.held = one.released = one.ended = clock::now();
    if (hold) throw std::logic_error("a try acquired a lock that another process holds");
    worker.seen.add(one);
  }
}

asio::awaitable<void> pass_the_executor(zklock_worker& worker) {
  const auto executor = co_await asio::this_coro::executor;
  while (worker.client.connected()) {
    cycle one{};
    one.started = clock::now();
    co_await asio::post(executor, asio::use_awaitable);
    one.held = one.released = clock::now();
    if (worker.chosen.mode == work::posts) co_await asio::post(executor, asio::use_awaitable);
    one.ended = clock::now();
    worker.seen.add(one);
  }
}

} // namespace

void expect_success(std::exception_ptr failure) {
  if (failure) std::rethrow_exception(failure);
}

void expect_closed(std::exception_ptr failure) {
  try {
    expect_success(failure);
  } catch (const boost::system::system_error& e) {
    if (e.code() != zklock::errc::closed) throw;
  }
}

asio::awaitable<void> prepare(zklock_worker& worker) {
  for (std::size_t i = 0; i < worker.chosen.locks; ++i)
    worker.locks.emplace_back(worker.client, lock_of(worker.chosen, i));
  zklock::mutex first(worker.client, worker.chosen.path + "/prepare");
  co_await (co_await first.acquire()).release();
  co_await surround(worker);
  if (worker.chosen.mode == work::immediate_background) co_await measure_stack(worker);
}

asio::awaitable<void> work_as(zklock_worker& worker, std::size_t waiter) {
  switch (worker.chosen.mode) {
  case work::cycle:
    return keep_cycling(worker, waiter);
  case work::uncached:
    return keep_cycling_uncached(worker, waiter);
  case work::immediate:
    return keep_cycling_immediately(worker);
  case work::immediate_background:
    return release_in_background_immediately(worker);
  case work::new_object:
    return make_an_object_each_time(worker, waiter);
  case work::background:
    return release_in_background(worker, waiter);
  case work::first_use:
    return use_each_once(worker, waiter);
  case work::try_busy:
    return keep_trying(worker, waiter);
  case work::first_touch:
    return worker.chosen.index == 0 ? keep_new_locks(worker) : touch_kept_locks(worker);
  case work::readers:
    return worker.chosen.index == 0 ? write_each_second(worker) : keep_reading(worker);
  case work::read:
    return keep_reading(worker);
  case work::give_up:
    return keep_giving_up(worker);
  case work::connect:
    return keep_connecting(worker);
  case work::posts:
  case work::one_post:
    return pass_the_executor(worker);
  case work::hold:
  case work::handover:
    break;
  }
  throw std::invalid_argument("this mode is not for waiters of zklock");
}

asio::awaitable<void> hold_it(zklock_worker& worker) {
  zklock::mutex lock(worker.client, lock_of(worker.chosen, 0));
  const zklock::hold hold = co_await lock.acquire();
  co_await surround(worker);
  std::cout << "ready" << std::endl;
  asio::posix::stream_descriptor input(co_await asio::this_coro::executor, ::dup(STDIN_FILENO));
  co_await input.async_wait(input.wait_read, asio::use_awaitable);
  for (auto& each : worker.readers)
    co_await each.close();
}

} // namespace bench
