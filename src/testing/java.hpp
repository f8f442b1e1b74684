#pragma once

#include <zklock/testing/server_options.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace zklock::testing {

/// Returns the command that runs a ZooKeeper server with this configuration file, whose temporary
/// files go to `scratch`. Throws `error` when Java or ZooKeeper's jars are not there.
std::vector<std::string> java_command(const server_options& options,
                                      const std::filesystem::path& configuration,
                                      const std::filesystem::path& scratch);

} // namespace zklock::testing
