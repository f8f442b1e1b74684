#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace zklock::testing {

/// Returns the last lines of a file, each with its end; empty without a file.
std::string last_lines(const std::filesystem::path& file, std::size_t lines);

} // namespace zklock::testing
