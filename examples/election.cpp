// Elects a leader among several candidates. Here all three are in a single process, each with a
// session of its own, as three processes would have.
//
//   leader [HOST:PORT[,HOST:PORT]...]

#include <zklock/zklock.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <exception>
#include <iostream>
#include <string>

namespace asio = boost::asio;
using namespace std::chrono_literals;

// The leader's work. It is cancelled before the leadership can pass to another candidate, and
// called again after the next election. Returning gives the leadership up.
asio::awaitable<int> serve(std::string name, zklock::hold& hold) {
  std::cout << name << " leads, with token " << hold.token() << std::endl;
  asio::steady_timer step(co_await asio::this_coro::executor);
  int served = 0;
  while (served < 3) {
    step.expires_after(100ms);
    co_await step.async_wait(asio::use_awaitable);
    std::cout << "  " << name << " serves " << ++served << std::endl;
  }
  co_return served;
}

asio::awaitable<void> run_candidate(asio::io_context& io, std::string name, std::string servers) {
  zklock::client client{io, {.servers = servers}};
  zklock::election candidate{client, "/locks/leader"};

  // The body is named: gcc 12 destroys a capturing lambda twice when it is written inside the
  // expression of a co_await.
  auto body = [&name](zklock::hold& hold) { return serve(name, hold); };
  const int served = co_await candidate.run(body);
  std::cout << name << " has served " << served << " and gives up the leadership" << std::endl;
  co_await client.close();
}

int main(int argc, char** argv) try {
  asio::io_context io;
  const std::string servers = argc > 1 ? argv[1] : "127.0.0.1:2181";
  for (const auto* name : {"Ada", "Grace", "Edsger"})
    asio::co_spawn(io, run_candidate(io, name, servers), [](std::exception_ptr failure) {
      if (failure) std::rethrow_exception(failure);
    });
  io.run();
} catch (const std::exception& e) {
  std::cerr << "election: " << e.what() << '\n';
  return 1;
}
