#pragma once

#include <filesystem>
#include <string>

namespace zklock::testing {

/// Returns whether the path is that of a file which may be executed.
bool is_program(const std::filesystem::path& path);

/// Returns the absolute path of a program on the `PATH`; empty when there is none of this name.
std::filesystem::path find_program(const std::string& name);

} // namespace zklock::testing
