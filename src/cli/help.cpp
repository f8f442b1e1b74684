#include "cli/exit_code.hpp"
#include "cli/failure.hpp"
#include "cli/subcommand.hpp"

#include <algorithm>
#include <iomanip>
#include <iostream>

namespace zklock::cli {

namespace {

void list_subcommands() {
  std::size_t width = 0;
  for (const auto& each : subcommands())
    width = std::max(width, each.name.size());
  std::cout << "Usage: zklock COMMAND [ARGUMENT...]\n\n"
               "Distributed locks, kept in ZooKeeper.\n\nCommands:\n";
  for (const auto& each : subcommands())
    std::cout << "  " << std::left << std::setw(static_cast<int>(width) + 2) << each.name
              << each.summary << '\n';
  std::cout << "\n'zklock help COMMAND' describes a command, 'zklock --version' prints the "
               "version.\n";
}

} // namespace

int help(const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front().starts_with('-') || arguments.front() == "help")
    list_subcommands();
  else
    find_subcommand(arguments.front()).run({"--help"});
  return exit_code::success;
}

} // namespace zklock::cli
