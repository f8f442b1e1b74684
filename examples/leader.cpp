// One of several candidates leads at a time; when it has gone the next one does. Here three live in
// one process, each with a session of its own, as if they were three processes.
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

// What only the leader does. It is cancelled when it may soon not be the leader any more, and
// called again when it is elected again; returning gives the leadership to the next one.
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

asio::awaitable<void> stand(asio::io_context& io, std::string name, std::string servers) {
  zklock::client client{io, {.servers = servers}};
  zklock::leader candidate{client, "/locks/leader"};

  // Named, not written inside the call: gcc 12 destroys a lambda twice that has captures and
  // stands in one expression with co_await.
  auto body = [&name](zklock::hold& hold) { return serve(name, hold); };
  const int served = co_await candidate.run(body);
  std::cout << name << " has served " << served << " and makes room" << std::endl;
  co_await client.close();
}

int main(int argc, char** argv) try {
  asio::io_context io;
  const std::string servers = argc > 1 ? argv[1] : "127.0.0.1:2181";
  for (const auto* name : {"Ada", "Grace", "Edsger"})
    asio::co_spawn(io, stand(io, name, servers), [](std::exception_ptr failure) {
      if (failure) std::rethrow_exception(failure);
    });
  io.run();
} catch (const std::exception& e) {
  std::cerr << "leader: " << e.what() << '\n';
  return 1;
}
