#include "cli/subcommand.hpp"

#include "cli/failure.hpp"
#include "cli/looking.hpp"

#include <algorithm>
#include <array>

namespace zklock::cli {

std::span<const subcommand> subcommands() noexcept {
  static constexpr std::array all{
      subcommand{"run", "run a command while a lock is held", run},
      subcommand{"ls", "list the locks below a path", ls},
      subcommand{"show", "list the holders and the waiters of a lock", show},
      subcommand{"ask", "ask the holders of a lock to release it", ask},
      subcommand{"break", "take a lock away from its holders", break_lock},
#ifdef ZKLOCK_NCURSES
      subcommand{"top", "watch the locks below a path", top},
      subcommand{"deadlocks", "find clients that wait for each other", deadlocks},
      subcommand{"doctor", "check the servers and the settings", doctor},
#endif
      subcommand{"help", "describe a command", help},
  };
  return all;
}

const subcommand& find_subcommand(std::string_view name) {
  const auto all = subcommands();
  const auto found = std::ranges::find(all, name, &subcommand::name);
  if (found != all.end()) return *found;
  if (name == "top" || name == "deadlocks" || name == "doctor")
    throw usage_error("this zklock was built without ncurses, and has no command \"" +
                      std::string(name) + "\"");
  throw usage_error("unknown command \"" + std::string(name) + "\"");
}

} // namespace zklock::cli
