#include "cli/subcommand.hpp"

#include <array>

namespace zklock::cli {

std::span<const subcommand> subcommands() noexcept {
  static constexpr std::array all{
      subcommand{"help", "describe a command", help},
  };
  return all;
}

} // namespace zklock::cli
