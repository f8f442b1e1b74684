// error: completion_token_for<.*void ?\(.*error_code, (zklock::)?hold\)>
#include <zklock/mutex.hpp>

using namespace std::chrono_literals;

void sell(zklock::mutex& tickets) {
  auto acquire = tickets.try_acquire(5s); // wrong
}
