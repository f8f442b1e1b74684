// error: zklock: the body is a coroutine that returns boost::asio::awaitable<T>
#include <zklock/leader.hpp>

int sweep();

boost::asio::awaitable<void> run(const zklock::leader& sweeper) {
  co_await sweeper.run(sweep); // wrong
}
