#pragma once

#include <filesystem>
#include <string>

namespace zklock::testing {

/// Returns whether the path names an executable file.
bool is_program(const std::filesystem::path& path);

/// Returns the absolute path of a program on the `PATH`; empty without such a program.
std::filesystem::path find_program(const std::string& name);

} // namespace zklock::testing
