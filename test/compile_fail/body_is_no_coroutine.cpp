// error: zklock: the body is a coroutine that returns boost::asio::awaitable<T>
#include <zklock/mutex.hpp>
#include <zklock/with_lock.hpp>

using namespace std::chrono_literals;

boost::asio::awaitable<void> sell(zklock::mutex& tickets) {
  auto body = [](zklock::hold&) {};
  co_await zklock::with_lock(tickets, 5s, body); // wrong
}
