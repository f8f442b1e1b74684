// Names the holder of a lock that is busy, lists its holder and waiters in queue order, counts the
// waiters, and finds the locks below a path. A waiter prints how many are ahead of it.
//
//   looking [HOST:PORT[,HOST:PORT]...]

#include <zklock/zklock.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <exception>
#include <iostream>
#include <string>

namespace asio = boost::asio;
using namespace std::chrono_literals;

asio::awaitable<void> show(zklock::mutex& lock) {
  for (const auto& each : co_await lock.participants()) {
    // queued_since is when the entry was created, not when the lock was granted.
    const auto age = std::chrono::system_clock::now() - each.queued_since;
    std::cout << (each.is_holder ? "holds  " : "waits  ") << each.identity << "  queued "
              << std::chrono::duration_cast<std::chrono::milliseconds>(age).count() << " ms ago  "
              << each.node << std::endl;
  }
}

asio::awaitable<void> run(zklock::client& one, zklock::client& two) {
  zklock::mutex lock{one, "/locks/looking"};
  zklock::mutex same{two, "/locks/looking"};
  zklock::hold hold = co_await lock.acquire(30s);

  if (const zklock::hold tried = co_await same.try_acquire(); !tried)
    for (const auto& each : co_await same.holders())
      std::cout << "taken: held by " << each.identity << std::endl;

  zklock::hold next;
  const auto told = [](std::size_t ahead) { std::cout << "queued behind " << ahead << std::endl; };
  same.acquire({.timeout = 30s, .queued = told},
               [&](zklock::error_code, zklock::hold got) { next = std::move(got); });
  while (co_await lock.count_waiting() == 0) {}
  co_await show(lock);

  for (const auto& each : co_await two.find_locks("/locks"))
    if (each.path == lock.path())
      std::cout << "found " << each.path << ", " << each.participants.size() << " in line"
                << std::endl;

  const auto holder = (co_await lock.participants()).at(0);
  co_await hold.release();
  const auto after = co_await lock.wait_holder_changed(holder);
  std::cout << "now " << after->identity << " holds the lock" << std::endl;
  co_await two.close();
  co_await one.close();
}

int main(int argc, char** argv) try {
  asio::io_context io;
  const std::string servers = argc > 1 ? argv[1] : "127.0.0.1:2181";
  zklock::client one{io, {.servers = servers, .identity = "till 1"}};
  zklock::client two{io, {.servers = servers, .identity = "till 2"}};
  asio::co_spawn(io, run(one, two), [](std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
  });
  io.run();
} catch (const std::exception& e) {
  std::cerr << "looking: " << e.what() << '\n';
  return 1;
}
