#pragma once

#include "examples/ticket_server/duration_option.hpp"

#include <cstdint>
#include <optional>
#include <string>

/// The options of the program `ticket_shop`.
struct settings {
  std::string servers;
  std::string database;
  std::uint16_t port;
  int tickets;
  duration_option work;
  std::optional<duration_option> session_timeout;
};

/// Returns an empty value after printing the help.
std::optional<settings> parse(int argc, char** argv);
