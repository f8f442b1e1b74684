// error: completion_token_for<.*void ?\(.*error_code, (zklock::)?hold\)>
#include <zklock/mutex.hpp>

void sell(zklock::mutex& tickets) {
  tickets.try_acquire([](zklock::error_code, zklock::hold&) {}); // wrong
}
