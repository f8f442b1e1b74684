// error: (cannot bind non-const lvalue reference of type 'zklock::mutex&'|expects an lvalue)
#include <zklock/mutex.hpp>
#include <zklock/with_lock.hpp>

using namespace std::chrono_literals;

boost::asio::awaitable<void> take_ticket();

boost::asio::awaitable<void> sell(const zklock::client& client) {
  co_await zklock::with_lock(zklock::mutex(client, "/tickets"), 5s, take_ticket); // wrong
}
