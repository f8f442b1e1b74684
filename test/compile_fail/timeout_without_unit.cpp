// error: completion_token_for<.*void ?\(.*error_code, (zklock::)?hold\)>
#include <zklock/mutex.hpp>

void sell(zklock::mutex& tickets) {
  auto acquire = tickets.acquire(5); // wrong
}
