#pragma once

#include <zklock/testing/server_options.hpp>

#include <cstdint>
#include <filesystem>
#include <string>

namespace zklock::testing {

/// The files of a server, in a single folder.
class server_files {
 public:
  explicit server_files(std::filesystem::path folder) : folder_(std::move(folder)) {}

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path configuration() const { return folder_ / "zoo.cfg"; }
  std::filesystem::path log() const { return folder_ / "server.log"; }
  std::filesystem::path data() const { return folder_ / "data"; }
  std::filesystem::path scratch() const { return folder_ / "scratch"; }

  /// Writes the configuration. `secure_port` is the port with TLS if the options have it. `id` is
  /// the id in an ensemble, or 0 for a standalone server. `peers` are the lines with the addresses
  /// of all members.
  void write(const server_options& options, std::uint16_t port, std::uint16_t secure_port, int id,
             const std::string& peers) const;

 private:
  std::filesystem::path folder_;
};

} // namespace zklock::testing
