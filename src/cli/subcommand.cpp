#include "cli/subcommand.hpp"

#include "cli/looking.hpp"

#include <array>

namespace zklock::cli {

std::span<const subcommand> subcommands() noexcept {
  static constexpr std::array all{
      subcommand{"run", "run a command while a lock is held", run},
      subcommand{"ls", "list the locks below a path", ls},
      subcommand{"show", "list the holders and the waiters of a lock", show},
      subcommand{"top", "watch the locks below a path", top},
      subcommand{"ask", "ask the holders of a lock to release it", ask},
      subcommand{"break", "take a lock away from its holders", break_lock},
      subcommand{"deadlocks", "find clients that wait for each other", deadlocks},
      subcommand{"doctor", "check the servers and the settings", doctor},
      subcommand{"help", "describe a command", help},
  };
  return all;
}

} // namespace zklock::cli
