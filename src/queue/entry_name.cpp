#include "queue/entry_name.hpp"

#include <boost/endian/conversion.hpp>
#include <boost/uuid/uuid.hpp>
#include <boost/uuid/uuid_io.hpp>

#include <algorithm>
#include <array>
#include <charconv>

namespace zklock::queue {

namespace {

constexpr std::string_view protected_prefix = "_c_";
constexpr std::string_view permit_label = "-lease-";
constexpr std::size_t uuid_length = 36;
constexpr std::size_t number_length = 10;

// The bits of a UUID that say "version 8, variant 1", and so carry no data.
constexpr std::uint64_t version_mask = 0xf000;
constexpr std::uint64_t version_bits = 0x8000;
constexpr std::uint64_t variant_mask = std::uint64_t{3} << 62;
constexpr std::uint64_t variant_bits = std::uint64_t{1} << 63;

std::optional<std::uint64_t> parse_hex(std::string_view text) noexcept {
  std::uint64_t bits = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bits, 16);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return bits;
}

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

// ZooKeeper's own recipe calls its entries x-<session id>-<number>.
bool is_recipe_prefix(std::string_view text) noexcept {
  return text.size() > 3 && text.starts_with("x-") && text.ends_with('-') &&
         std::all_of(text.begin() + 2, text.end() - 1,
                     [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || c == '-'; });
}

std::optional<role> parse_label(std::string_view text) noexcept {
  if (text.ends_with("-rlock-") || text.ends_with("__rlock__") || text.ends_with("__READ__"))
    return role::shared;
  if (text.ends_with("lock-") || text.ends_with("__lock__") || text.ends_with("__WRIT__") ||
      is_recipe_prefix(text))
    return role::exclusive;
  return std::nullopt;
}

// Not by Boost's string_generator: it throws at an invalid UUID, and accepts UUIDs without dashes,
// which are go-zookeeper's. Ours have no capital letters.
void parse_id(std::string_view text, entry_name& name) noexcept {
  if (!text.starts_with(protected_prefix)) return;
  text.remove_prefix(protected_prefix.size());
  if (text.size() < uuid_length) return;
  std::array<char, 32> hex;
  auto* out = hex.data();
  for (std::size_t i = 0; i < uuid_length; ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash != (text[i] == '-')) return;
    if (text[i] >= 'A' && text[i] <= 'F') return;
    if (!dash) *out++ = text[i];
  }
  const auto high = parse_hex({hex.data(), 16});
  const auto low = parse_hex({hex.data() + 16, 16});
  if (!high || !low || (*high & version_mask) != version_bits ||
      (*low & variant_mask) != variant_bits)
    return;
  name.has_id = true;
  name.token.bits = *high & ~version_mask;
  name.id = *low & ~variant_mask;
}

} // namespace

void append_prefix(std::string& out, session_token token, entry_id id, std::string_view label) {
  boost::uuids::uuid uuid;
  boost::endian::store_big_u64(uuid.begin(), (token.bits & ~version_mask) | version_bits);
  boost::endian::store_big_u64(uuid.begin() + 8, (id & ~variant_mask) | variant_bits);
  std::array<char, uuid_length> text;
  boost::uuids::to_chars(uuid, text.data());
  out += protected_prefix;
  out.append(text.data(), text.size());
  out += label;
}

void append_number(std::string& out, sequence number) {
  std::array<char, 20> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  const auto length = static_cast<std::size_t>(end - text.data());
  // The sign counts among the ten characters, and stands before the zeros.
  const std::size_t sign = number < 0;
  out.append(text.data(), sign);
  if (length < number_length) out.append(number_length - length, '0');
  out.append(text.data() + sign, length - sign);
}

void append_permit(std::string& out, session_token token, entry_id id, std::uint32_t index) {
  append_prefix(out, token, id, permit_label);
  append_number(out, index);
}

std::optional<entry_id> parse_permit(std::string_view name, session_token token) noexcept {
  entry_name parsed;
  parse_id(name, parsed);
  if (!parsed.has_id || parsed.token != token) return std::nullopt;
  return parsed.id;
}

bool is_of_zklock(std::string_view name) noexcept {
  entry_name parsed;
  parse_id(name, parsed);
  return parsed.has_id;
}

sequence number_behind(std::string_view label, std::string_view name) noexcept {
  const auto prefix = protected_prefix.size() + uuid_length + label.size();
  sequence number = -1;
  if (name.size() <= prefix) return number;
  const char* const end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data() + prefix, end, number);
  return parsed.ptr == end ? number : -1;
}

sequence trailing_number(std::string_view name) noexcept {
  if (name.size() < number_length) return -1;
  const auto tail = name.substr(name.size() - number_length);
  sequence number = -1;
  if (std::all_of(tail.begin(), tail.end(), is_digit))
    std::from_chars(tail.data(), tail.data() + tail.size(), number);
  return number;
}

std::optional<entry_name> parse_entry_name(std::string_view name) noexcept {
  if (name.size() <= number_length) return std::nullopt;
  const auto tail = name.substr(name.size() - number_length);
  if (!std::all_of(tail.begin() + 1, tail.end(), is_digit)) return std::nullopt;

  // Numbers beyond 2^31 - 1 are negative: "-2147483648" has eleven characters, but "-000000001" has
  // ten with the sign (Java's %010d).
  auto head = name.substr(0, name.size() - number_length);
  bool negative = false;
  if (!is_digit(tail.front())) {
    if (tail.front() != '-') return std::nullopt;
    negative = true;
  } else if (tail.front() != '0' && (head.ends_with("--") || head.ends_with("__-"))) {
    negative = true;
    head.remove_suffix(1);
  }
  const auto label = parse_label(head);
  if (!label) return std::nullopt;

  entry_name result;
  const auto magnitude = is_digit(tail.front()) ? tail : tail.substr(1);
  std::from_chars(magnitude.data(), magnitude.data() + magnitude.size(), result.number);
  if (negative) result.number = -result.number;
  // No server writes a zero with a sign.
  if (negative && result.number == 0) return std::nullopt;
  result.wants = *label;
  parse_id(head, result);
  return result;
}

} // namespace zklock::queue
