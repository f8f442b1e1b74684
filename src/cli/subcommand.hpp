#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::cli {

/// A subcommand of the command `zklock`, such as `zklock run`.
struct subcommand {
  std::string_view name;
  /// The line of the subcommand in `zklock --help`.
  std::string_view summary;
  /// Takes the arguments after the subcommand's name and returns the exit code. With `--help` among
  /// the arguments it prints the help of the subcommand. Throws `failure`.
  int (*run)(const std::vector<std::string>& arguments);
};

/// Returns all subcommands of this build, in the order of the help.
std::span<const subcommand> subcommands() noexcept;

/// Returns the subcommand of this name. Throws `usage_error` if this build has none.
const subcommand& find_subcommand(std::string_view name);

/// `zklock run`: runs a command while a lock is held.
int run(const std::vector<std::string>& arguments);

/// `zklock help`: lists the subcommands, or describes a subcommand.
int help(const std::vector<std::string>& arguments);

} // namespace zklock::cli
