// error: zklock: the body takes the hold as `hold&`, or nothing
#include <zklock/mutex.hpp>
#include <zklock/with_lock.hpp>

boost::asio::awaitable<int> take_ticket(zklock::hold held);

boost::asio::awaitable<int> sell(zklock::mutex& tickets) {
  co_return co_await zklock::with_lock(tickets, take_ticket); // wrong
}
