#include "cli/run/shared_state.hpp"

#include "cli/failure.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <string>

namespace zklock::cli {

shared_state::shared_state() {
  void* const memory =
      ::mmap(nullptr, sizeof(shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    throw failure(exit_code::system, std::string("cannot share memory: ") + std::strerror(errno));
  memory_ = new (memory) shared;
}

shared_state::~shared_state() {
  ::munmap(memory_, sizeof(shared));
}

shared_state::time_point shared_state::end_of_command() const noexcept {
  return time_point(boot_clock::duration(memory_->end_of_command.load()));
}

void shared_state::set_end_of_command(time_point end) noexcept {
  memory_->end_of_command = end.time_since_epoch().count();
}

} // namespace zklock::cli
