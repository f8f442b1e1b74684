// error: completion_token_for<.*void ?\(.*error_code, .*error_code\)>
#include <zklock/hold.hpp>

void watch(const zklock::hold& held) {
  held.wait_lost([](zklock::error_code) {}); // wrong
}
