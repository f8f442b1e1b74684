// error: (nodiscard|unused-result)
#include <zklock/mutex.hpp>

using namespace std::chrono_literals;

void sell(zklock::mutex& tickets) {
  tickets.acquire(5s); // wrong
}
