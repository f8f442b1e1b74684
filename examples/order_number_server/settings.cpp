#include "settings.hpp"

#include <charconv>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

namespace {

/// An empty variable counts as none.
std::string variable(const char* name, const char* fallback) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : fallback;
}

std::uint16_t read_port(const std::string& text) {
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, port);
  if (problem != std::errc() || stop != end)
    throw std::runtime_error("PORT must be a number from 0 to 65535, and is \"" + text + '"');
  return port;
}

} // namespace

settings read_settings() {
  return {.servers = variable("ZOOKEEPER_SERVERS", "127.0.0.1:2181"),
          .lock_path = variable("LOCK_PATH", "/locks/order-numbers"),
          .folder = variable("ORDER_FOLDER", "."),
          .port = read_port(variable("PORT", "0"))};
}
