// The worker for Redis: a thread and a connection for each waiter.
//
//   bench_redis poll|pubsub SETTING...

#include "measurement.hpp"
#include "redis_lock.hpp"
#include "settings.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <exception>
#include <iostream>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

void work_as(const bench::settings& chosen, bench::redis_lock& lock, std::size_t waiter,
             const std::atomic<bool>& stopped, bench::measurement::samples& seen) {
  std::minstd_rand dice(static_cast<unsigned>(1 + waiter + 1000 * chosen.index));
  std::uniform_int_distribution<std::chrono::microseconds::rep> pause(0, chosen.pause.count());
  for (;;) {
    if (chosen.pause.count() > 0)
      std::this_thread::sleep_for(std::chrono::microseconds(pause(dice)));
    bench::cycle one{};
    one.started = bench::clock::now();
    if (!lock.acquire(stopped)) return;
    one.held = bench::clock::now();
    if (chosen.keep.count() > 0) std::this_thread::sleep_for(chosen.keep);
    one.released = bench::clock::now();
    lock.release();
    one.ended = bench::clock::now();
    seen.add(one);
  }
}

void run(bool subscribes, const bench::settings& chosen) {
  if (chosen.mode != bench::work::cycle || chosen.locks != 1 || bench::has_others(chosen))
    throw std::invalid_argument("can only use one lock again and again");
  // Before all threads, whose instructions it counts.
  bench::measurement window(chosen);
  const std::string key = bench::lock_of(chosen, 0);
  const std::string channel = subscribes ? key + "/released" : "";
  std::unique_ptr<bench::redis_wakeup> wakeup;
  if (subscribes)
    wakeup = std::make_unique<bench::redis_subscription>(chosen.servers, channel);
  else
    wakeup = std::make_unique<bench::redis_poll>();

  std::deque<bench::redis_lock> locks;
  for (std::size_t i = 0; i < chosen.waiters; ++i)
    locks.emplace_back(chosen.servers, key, std::to_string(::getpid()) + "-" + std::to_string(i),
                       channel, *wakeup);
  std::vector<bench::measurement::samples> seen(chosen.waiters,
                                                bench::measurement::samples(window));
  std::atomic<bool> stopped{false};

  bench::wait_for_go();
  std::vector<std::thread> waiters;
  for (std::size_t i = 0; i < chosen.waiters; ++i)
    waiters.emplace_back([&, i] { work_as(chosen, locks[i], i, stopped, seen[i]); });
  std::this_thread::sleep_for(chosen.warmup);
  window.open();
  std::this_thread::sleep_for(chosen.window);
  window.close();
  stopped = true;
  for (auto& waiter : waiters)
    waiter.join();
  window.report(seen);
}

} // namespace

int main(int argc, char** argv) try {
  const std::string wakeup = argc > 1 ? argv[1] : "";
  if (wakeup != "poll" && wakeup != "pubsub")
    throw std::invalid_argument("the first argument is neither poll nor pubsub");
  run(wakeup == "pubsub", bench::read_settings(argc - 1, argv + 1));
} catch (const std::exception& e) {
  std::cerr << "bench_redis: " << e.what() << '\n';
  return 1;
}
