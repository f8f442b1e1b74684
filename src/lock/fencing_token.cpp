#include <zklock/fencing_token.hpp>

#include <charconv>
#include <cinttypes>
#include <cstddef>
#include <cstdio>
#include <ostream>

namespace zklock {

std::string fencing_token::to_string() const {
  char text[32];
  std::snprintf(text, sizeof text, "%016" PRIx64 "-%08" PRIx32,
                static_cast<std::uint64_t>(transaction_), turn_);
  return text;
}

std::optional<fencing_token> fencing_token::from_string(std::string_view text) noexcept {
  constexpr std::size_t dash = 16, length = 25;
  if (text.size() != length || text[dash] != '-') return std::nullopt;
  std::uint64_t transaction = 0;
  std::uint32_t turn = 0;
  const char* const begin = text.data();
  const auto first = std::from_chars(begin, begin + dash, transaction, 16);
  const auto second = std::from_chars(begin + dash + 1, begin + length, turn, 16);
  if (first.ptr != begin + dash || second.ptr != begin + length) return std::nullopt;
  return fencing_token(static_cast<std::int64_t>(transaction), turn);
}

std::ostream& operator<<(std::ostream& out, const fencing_token& token) {
  return out << token.to_string();
}

} // namespace zklock
