// error: completion_token_for<.*void ?\(.*error_code, (zklock::)?hold\)>
#include <zklock/mutex.hpp>

using namespace std::chrono_literals;

void sell(zklock::mutex& tickets) {
  tickets.acquire(5s, [](zklock::error_code) {}); // wrong
}
