// A holder that releases the lock when it receives a release request, and an operator's client that
// finds the holder and sends the request.
//
//   revoking [HOST:PORT[,HOST:PORT]...]

#include <zklock/zklock.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <utility>

namespace asio = boost::asio;
using namespace std::chrono_literals;

// Holds the lock until a release request arrives.
asio::awaitable<void> hold_until_requested(zklock::client& client) {
  zklock::mutex lock{client, "/locks/revoking"};
  zklock::hold hold = co_await lock.acquire(30s);
  std::cout << "holder: held" << std::endl;

  // A request sent before this call is not missed.
  const auto [error, requester] =
      co_await hold.wait_release_requested(asio::as_tuple(asio::use_awaitable));
  if (error) {
    // The hold is lost: the session expired, for example, or break_lock() deleted its entry.
    std::cout << "holder: " << error.message() << std::endl;
    co_return;
  }
  // Finish the step that must not stay half done, then release.
  std::cout << "holder: release requested by " << requester << ", releasing" << std::endl;
  co_await hold.release();
}

asio::awaitable<void> request_and_acquire(zklock::client& client) {
  zklock::mutex lock{client, "/locks/revoking"};
  const auto holder = co_await lock.wait_holder_changed(std::nullopt);
  std::cout << "operator: " << holder->identity << " holds the lock" << std::endl;

  for (const auto& each : co_await lock.participants())
    if (each.is_holder) co_await lock.request_release(each);
  // For a holder that ignores requests there is co_await lock.break_lock().
  zklock::hold hold = co_await lock.acquire(30s);
  std::cout << "operator: held" << std::endl;
  co_await hold.release();
}

asio::awaitable<void> close(asio::awaitable<void> work, zklock::client& client) {
  co_await std::move(work);
  co_await client.close();
}

int main(int argc, char** argv) try {
  asio::io_context io;
  const std::string servers = argc > 1 ? argv[1] : "127.0.0.1:2181";
  zklock::client worker{io, {.servers = servers, .identity = "the worker"}};
  zklock::client operators{io, {.servers = servers, .identity = "the operator"}};

  const auto rethrow = [](std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
  };
  asio::co_spawn(io, close(hold_until_requested(worker), worker), rethrow);
  asio::co_spawn(io, close(request_and_acquire(operators), operators), rethrow);
  io.run();
} catch (const std::exception& e) {
  std::cerr << "revoking: " << e.what() << '\n';
  return 1;
}
