#include "cli/run/timer.hpp"

#include "cli/failure.hpp"
#include "support/timer_descriptor.hpp"

#include <cerrno>
#include <cstring>
#include <string>

namespace zklock::cli {

detail::unique_descriptor make_timer() {
  auto result = detail::make_timer_descriptor();
  if (result.get() < 0)
    throw failure(exit_code::system, std::string("cannot make a timer: ") + std::strerror(errno));
  return result;
}

} // namespace zklock::cli
