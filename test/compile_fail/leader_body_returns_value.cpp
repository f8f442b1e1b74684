// error: zklock: the body is a coroutine that returns boost::asio::awaitable<T>
#include <zklock/election.hpp>

int sweep();

boost::asio::awaitable<void> run(const zklock::election& sweeper) {
  co_await sweeper.run(sweep); // wrong
}
