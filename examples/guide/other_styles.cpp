// Locks without coroutines, and with other executors than an io_context's: callbacks,
// futures, several threads, a thread pool.
//
//   other_styles [HOST:PORT[,HOST:PORT]...]

#include <zklock/zklock.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/system/system_error.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <future>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace asio = boost::asio;
using namespace std::chrono_literals;

// Callbacks.

class sale {
 public:
  explicit sale(zklock::client& client) : client_(client), lock_(client, "/locks/tickets") {}

  void start() {
    lock_.acquire(5s, [this](zklock::error_code error, zklock::hold hold) {
      if (error) return finish(error);
      hold_ = std::move(hold); // a hold that is not kept releases the lock
      watch();
      sell();
    });
  }

  zklock::error_code error() const { return error_; }

 private:
  // Stops the work when the lock is lost. Releasing the hold cancels the wait.
  void watch() {
    hold_.wait_lost([](zklock::error_code error, zklock::error_code reason) {
      if (!error) std::cerr << "lost the lock: " << reason.message() << std::endl;
    });
  }

  void sell() {
    std::cout << "callbacks: held, with token " << hold_.token() << std::endl;
    hold_.release([this](zklock::error_code error) { finish(error); });
  }

  void finish(zklock::error_code error) {
    error_ = error;
    client_.close([](zklock::error_code) {});
  }

  zklock::client& client_;
  zklock::mutex lock_;
  zklock::hold hold_;
  zklock::error_code error_;
};

void use_callbacks(const std::string& servers) {
  asio::io_context io;
  zklock::client client(io, {.servers = servers});
  sale one(client);
  one.start();
  io.run();
  if (one.error()) throw boost::system::system_error(one.error());
}

// Futures.

// A single thread does the work of the library, so that all other threads may block.
struct zookeeper {
  explicit zookeeper(const std::string& servers)
      : client(io, {.servers = servers}), thread([this] { io.run(); }) {}

  ~zookeeper() {
    client.close(asio::use_future).wait();
    thread.join();
  }

  asio::io_context io;
  zklock::client client;
  std::thread thread;
};

void use_futures(const std::string& servers) {
  zookeeper zk(servers);
  zklock::mutex lock(zk.client, "/locks/tickets");

  zklock::hold hold = lock.acquire(5s, asio::use_future).get();
  std::cout << "futures: held, with token " << hold.token() << std::endl;
  if (hold.owns_lock()) std::cout << "futures: still held" << std::endl;

  std::future<zklock::hold> second = lock.acquire(100ms, asio::use_future);
  try {
    const zklock::hold other = second.get();
  } catch (const boost::system::system_error& error) {
    if (error.code() != zklock::errc::timed_out) throw;
    std::cout << "futures: " << error.code().message() << std::endl;
  }
  hold.release(asio::use_future).get(); // or let the destructor release in the background
}

// A thread that blocks may still have its work cancelled when the lock is lost.
void use_with_lock_and_a_future(const std::string& servers) {
  zookeeper zk(servers);
  zklock::mutex lock(zk.client, "/locks/tickets");

  const auto body = [](zklock::hold& hold) -> asio::awaitable<std::string> {
    co_return hold.token().to_string();
  };
  const std::string token = zklock::with_lock(lock, 5s, body, asio::use_future).get();
  std::cout << "with_lock and a future: token " << token << std::endl;

  zklock::election election(zk.client, "/locks/leader");
  const auto lead = []() -> asio::awaitable<int> { co_return 7; };
  const int result = election.run(lead, asio::use_future).get();
  if (result != 7) throw std::runtime_error("the leader's result is lost");
}

// Several threads run an io_context.

asio::awaitable<void> count(zklock::client& client, int& counter) {
  zklock::mutex lock(client, "/locks/counter");
  for (int i = 0; i < 20; ++i) {
    zklock::hold hold = co_await lock.acquire(30s);
    ++counter; // the lock protects it, in this process too
    co_await hold.release();
  }
}

void use_several_threads(const std::string& servers) {
  asio::io_context io;
  zklock::client client(io, {.servers = servers});

  int counter = 0;
  std::atomic<int> left = 4;
  for (int i = 0; i < 4; ++i)
    // A strand for each coroutine, so that it can be cancelled safely.
    asio::co_spawn(asio::make_strand(io), count(client, counter), [&](std::exception_ptr failure) {
      if (--left == 0) client.close([](zklock::error_code) {});
      if (failure) std::rethrow_exception(failure);
    });

  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&io] { io.run(); });
  threads.clear();
  std::cout << "several threads: counted to " << counter << std::endl;
  if (counter != 80) throw std::runtime_error("the lock did not protect the counter");
}

// A thread pool computes; the network has a thread of its own.

std::uint64_t compute(const zklock::hold& hold, std::uint64_t from) {
  for (std::uint64_t step = 0; step < 1000; ++step) {
    if (!hold.owns_lock()) throw std::runtime_error("lost the lock while computing");
    from = from * 6364136223846793005u + step;
  }
  return from;
}

asio::awaitable<std::uint64_t> compute_on(asio::thread_pool& pool, const zklock::hold& hold) {
  // Computes on the pool, and continues where it was. Any thread may call owns_lock().
  auto work = [&hold]() -> asio::awaitable<std::uint64_t> { co_return compute(hold, 1); };
  co_return co_await asio::co_spawn(pool, work, asio::use_awaitable);
}

void use_thread_pool(const std::string& servers) {
  asio::thread_pool pool(2);
  zookeeper zk(servers);
  zklock::mutex lock(zk.client, "/locks/result");
  auto body = [&pool](zklock::hold& hold) { return compute_on(pool, hold); };
  const auto result = zklock::with_lock(lock, 5s, body, asio::use_future).get();
  std::cout << "thread pool: " << result << std::endl;
  pool.join();
}

// The client itself on a thread pool.
void use_client_on_a_pool(const std::string& servers) {
  asio::thread_pool pool(2);
  zklock::client client(pool, {.servers = servers});
  zklock::mutex lock(client, "/locks/tickets");
  zklock::hold hold = lock.acquire(5s, asio::use_future).get();
  std::cout << "client on a pool: held, with token " << hold.token() << std::endl;
  hold.release(asio::use_future).get();
  client.close(asio::use_future).wait();
  pool.join();
}

// A coroutine of another executor than any_io_executor.

using io_executor = asio::io_context::executor_type;

asio::awaitable<void, io_executor> work(zklock::client& client) {
  zklock::mutex lock(client, "/locks/tickets");
  zklock::hold hold = co_await lock.acquire(5s);
  std::cout << "another executor: held, with token " << hold.token() << std::endl;
  co_await hold.release();

  const auto body = []() -> asio::awaitable<int> { co_return 3; };
  const int result =
      co_await zklock::with_lock(lock, 5s, body, asio::use_awaitable_t<io_executor>());
  std::cout << "another executor: " << result << std::endl;
}

void use_another_executor(const std::string& servers) {
  asio::io_context io;
  zklock::client client(io, {.servers = servers});
  asio::co_spawn(io, work(client), [&client](std::exception_ptr failure) {
    client.close([failure](zklock::error_code) {
      if (failure) std::rethrow_exception(failure);
    });
  });
  io.run();
}

int main(int argc, char** argv) try {
  const std::string servers = argc > 1 ? argv[1] : "127.0.0.1:2181";
  use_callbacks(servers);
  use_futures(servers);
  use_with_lock_and_a_future(servers);
  use_several_threads(servers);
  use_thread_pool(servers);
  use_client_on_a_pool(servers);
  use_another_executor(servers);
} catch (const std::exception& error) {
  std::cerr << "other_styles: " << error.what() << std::endl;
  return 1;
}
