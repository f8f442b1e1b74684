// error: zklock: the handler's executor is none that Asio accepts
#include <zklock/mutex.hpp>

#include <boost/asio/bind_executor.hpp>

using namespace std::chrono_literals;

struct queue_of_tasks {
  template <class Function>
  void add(Function function) const;
};

struct handler {
  using executor_type = queue_of_tasks;
  executor_type get_executor() const { return {}; }
  void operator()(zklock::error_code, zklock::hold);
};

void start(zklock::mutex& tickets) {
  tickets.acquire(5s, handler()); // wrong
}
