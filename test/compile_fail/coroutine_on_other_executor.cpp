// error: zklock: a coroutine needs an executor that converts to any_io_executor
#include <zklock/mutex.hpp>
#include <zklock/with_lock.hpp>

#include <boost/asio/any_completion_executor.hpp>
#include <boost/asio/bind_executor.hpp>

using namespace std::chrono_literals;

boost::asio::awaitable<void> take_ticket();

void start(zklock::mutex& tickets, const boost::asio::any_completion_executor& executor) {
  auto handler = boost::asio::bind_executor(executor, [](std::exception_ptr) {});
  zklock::with_lock(tickets, 5s, take_ticket, handler); // wrong
}
