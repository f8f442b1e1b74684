#include <zklock/fencing_token.hpp>

#include <cinttypes>
#include <cstdio>
#include <ostream>

namespace zklock {

std::string fencing_token::to_string() const {
  char text[32];
  std::snprintf(text, sizeof text, "%016" PRIx64 "-%08" PRIx32,
                static_cast<std::uint64_t>(transaction_), turn_);
  return text;
}

std::ostream& operator<<(std::ostream& out, const fencing_token& token) {
  return out << token.to_string();
}

} // namespace zklock
