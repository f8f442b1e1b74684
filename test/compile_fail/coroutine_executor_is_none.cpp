// error: zklock: the handler's executor is none that Asio accepts
#include <zklock/mutex.hpp>
#include <zklock/with_lock.hpp>

using namespace std::chrono_literals;

boost::asio::awaitable<void> take_ticket();

struct queue_of_tasks {
  template <class Function>
  void add(Function function) const;
};

struct handler {
  using executor_type = queue_of_tasks;
  executor_type get_executor() const { return {}; }
  void operator()(std::exception_ptr);
};

void start(zklock::mutex& tickets) {
  zklock::with_lock(tickets, 5s, take_ticket, handler()); // wrong
}
