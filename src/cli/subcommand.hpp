#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::cli {

/// One of the things that the command does. Each has a source file of its name.
struct subcommand {
  std::string_view name;
  /// One line of `zklock --help`.
  std::string_view summary;
  /// Takes the arguments behind the name and returns the exit code. `--help` among them prints its
  /// help. Throws `failure`.
  int (*run)(const std::vector<std::string>& arguments);
};

/// Returns all subcommands, in the order of the help.
std::span<const subcommand> subcommands() noexcept;

/// Returns the subcommand of a name. Throws `usage_error` where there is none.
const subcommand& find_subcommand(std::string_view name);

/// `zklock run`: runs a command while a lock is held.
int run(const std::vector<std::string>& arguments);

/// `zklock help`: lists the subcommands, or describes one.
int help(const std::vector<std::string>& arguments);

} // namespace zklock::cli
