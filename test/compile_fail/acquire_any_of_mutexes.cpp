// error: no matching function for call to .*acquire_any
#include <zklock/acquire_any.hpp>
#include <zklock/mutex.hpp>

#include <vector>

using namespace std::chrono_literals;

void sell(const std::vector<zklock::mutex>& counters) {
  auto acquire = zklock::acquire_any(counters, 5s); // wrong
}
