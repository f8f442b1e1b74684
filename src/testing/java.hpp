#pragma once

#include <zklock/testing/server_options.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace zklock::testing {

/// Returns the command of a ZooKeeper server with this configuration file. The server writes its
/// temporary files to `scratch`. Throws `error` if Java or ZooKeeper's jars are missing.
std::vector<std::string> java_command(const server_options& options,
                                      const std::filesystem::path& configuration,
                                      const std::filesystem::path& scratch);

} // namespace zklock::testing
