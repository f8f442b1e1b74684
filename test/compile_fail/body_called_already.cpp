// error: zklock: pass the body itself, not the awaitable that it returns
#include <zklock/mutex.hpp>
#include <zklock/with_lock.hpp>

using namespace std::chrono_literals;

boost::asio::awaitable<void> take_ticket();

boost::asio::awaitable<void> sell(zklock::mutex& tickets) {
  co_await zklock::with_lock(tickets, 5s, take_ticket()); // wrong
}
