// error: (lock<std::mutex>|no member named 'acquire' in 'std::mutex')|with Lock = std::mutex
#include <zklock/with_lock.hpp>

#include <mutex>

using namespace std::chrono_literals;

boost::asio::awaitable<void> take_ticket();

boost::asio::awaitable<void> sell(std::mutex& tickets) {
  co_await zklock::with_lock(tickets, 5s, take_ticket); // wrong
}
