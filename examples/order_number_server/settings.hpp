#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

/// The configuration of the server, from environment variables.
struct settings {
  /// `ZOOKEEPER_SERVERS`, by default a server on this machine.
  std::string servers;
  /// `LOCK_PATH`, by default `/locks/order-numbers`.
  std::string lock_path;
  /// `ORDER_FOLDER`, where the last number is kept; by default the working directory.
  std::filesystem::path folder;
  /// `PORT`, from 0 to 65535; by default 0, which picks a free port.
  std::uint16_t port;
};

/// Reads the environment. Throws `std::runtime_error` that names a wrong variable and its value.
settings read_settings();
