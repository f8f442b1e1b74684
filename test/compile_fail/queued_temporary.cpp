// error: (deleted function|call to deleted)
#include <zklock/mutex.hpp>

#include <iostream>

using namespace std::chrono_literals;

zklock::acquire_options patient() {
  return {.timeout = 5s, .queued = [](std::size_t ahead) { std::cout << ahead; }}; // wrong
}
