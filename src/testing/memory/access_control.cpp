#include "testing/memory/access_control.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/uuid/detail/sha1.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

namespace zklock::testing::memory {
namespace {

std::string base64(const std::array<unsigned char, 20>& bytes) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    auto at = [&](std::size_t n) { return n < bytes.size() ? std::uint32_t{bytes[n]} : 0; };
    const std::uint32_t group = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
    out += letters[group >> 18];
    out += letters[group >> 12 & 63];
    out += i + 1 < bytes.size() ? letters[group >> 6 & 63] : '=';
    out += i + 2 < bytes.size() ? letters[group & 63] : '=';
  }
  return out;
}

std::array<unsigned char, 20> sha1(std::string_view text) {
  boost::uuids::detail::sha1 hash;
  hash.process_bytes(text.data(), text.size());
  boost::uuids::detail::sha1::digest_type digest;
  hash.get_digest(digest);
  // Words in Boost before version 1.86, bytes since.
  std::array<unsigned char, 20> bytes{};
  constexpr std::size_t width = sizeof digest[0];
  for (std::size_t i = 0; i != bytes.size(); ++i)
    bytes[i] = static_cast<unsigned char>(digest[i / width] >> 8 * (width - 1 - i % width));
  return bytes;
}

/// The address of an id `address` or `address/bits`, and its bits.
struct network {
  std::vector<unsigned char> address;
  std::size_t bits;
};

std::vector<unsigned char> bytes_of(std::string_view text) {
  boost::system::error_code ec;
  auto address = boost::asio::ip::make_address(std::string(text), ec);
  if (ec) return {};
  auto copy = [](const auto& bytes) {
    return std::vector<unsigned char>(bytes.begin(), bytes.end());
  };
  return address.is_v4() ? copy(address.to_v4().to_bytes()) : copy(address.to_v6().to_bytes());
}

std::optional<network> parse_network(std::string_view id) {
  const std::size_t slash = id.find('/');
  network result{bytes_of(id.substr(0, slash)), 0};
  if (result.address.empty()) return {};
  result.bits = result.address.size() * 8;
  if (slash == std::string_view::npos) return result;
  std::size_t bits = 0;
  const char* end = id.data() + id.size();
  auto parsed = std::from_chars(id.data() + slash + 1, end, bits);
  if (parsed.ec != std::errc() || parsed.ptr != end || bits > result.bits) return {};
  result.bits = bits;
  return result;
}

bool ip_matches(std::string_view host, std::string_view id) {
  const auto range = parse_network(id);
  const auto address = bytes_of(host);
  if (!range || address.size() != range->address.size()) return false;
  for (std::size_t bit = 0; bit != range->bits; ++bit) {
    if ((address[bit / 8] ^ range->address[bit / 8]) >> (7 - bit % 8) & 1) return false;
  }
  return true;
}

bool matches(const identity& client, const access& entry) {
  if (client.scheme != entry.scheme) return false;
  return client.scheme == "ip" ? ip_matches(client.id, entry.id) : client.id == entry.id;
}

bool is_anyone(const access& entry) {
  return entry.scheme == "world" && entry.id == "anyone";
}

bool is_valid_id(const access& entry) {
  if (entry.scheme == "ip") return parse_network(entry.id).has_value();
  // Java's split(":") gives two parts; it drops empty parts at the end.
  const std::size_t colon = entry.id.find(':');
  return entry.scheme == "digest" && colon != std::string::npos && colon + 1 != entry.id.size() &&
         entry.id.substr(colon + 1).find(':') == std::string::npos;
}

bool equal(const access& a, const access& b) {
  return a.permissions == b.permissions && a.scheme == b.scheme && a.id == b.id;
}

} // namespace

std::optional<identity> authenticate(std::string_view scheme, std::string_view credentials,
                                     std::string_view host) {
  if (scheme == "ip") return identity{"ip", std::string(host)};
  if (scheme != "digest") return {};
  const std::string user(credentials.substr(0, credentials.find(':')));
  return identity{"digest", user + ':' + base64(sha1(credentials))};
}

bool is_permitted(const access_list& list, std::int32_t permissions,
                  const std::vector<identity>& identities) {
  if (list.empty()) return true;
  return std::any_of(list.begin(), list.end(), [&](const access& entry) {
    return (entry.permissions & permissions) != 0 &&
           (is_anyone(entry) ||
            std::any_of(identities.begin(), identities.end(),
                        [&](const identity& client) { return matches(client, entry); }));
  });
}

std::optional<access_list> stored_list(const access_list& requested,
                                       const std::vector<identity>& identities) {
  access_list unique;
  for (const auto& entry : requested) {
    if (std::none_of(unique.begin(), unique.end(),
                     [&](const access& other) { return equal(entry, other); }))
      unique.push_back(entry);
  }
  access_list stored;
  for (const auto& entry : unique) {
    if (entry.scheme == "auth") {
      const std::size_t before = stored.size();
      // An address proves no identity.
      for (const auto& client : identities)
        if (client.scheme != "ip") stored.push_back({entry.permissions, client.scheme, client.id});
      if (stored.size() == before) return {};
    } else if (is_anyone(entry) || is_valid_id(entry)) {
      stored.push_back(entry);
    } else {
      return {};
    }
  }
  if (stored.empty()) return {};
  return stored;
}

access_list without_digests(access_list list) {
  for (auto& entry : list)
    if (entry.scheme == "digest") entry.id = entry.id.substr(0, entry.id.find(':')) + ":x";
  return list;
}

} // namespace zklock::testing::memory
