#include "client/lock_definition.hpp"

#include <zklock/error.hpp>

#include <boost/locale/utf.hpp>
#include <boost/system/system_error.hpp>

#include <cstdint>
#include <optional>

namespace zklock::detail {

namespace {

// Takes the first code point off the text; nothing where it is malformed (RFC 3629).
std::optional<std::uint32_t> next_code_point(std::string_view& text) noexcept {
  namespace utf = boost::locale::utf;
  const auto* begin = text.data();
  const auto point = utf::utf_traits<char>::decode(begin, text.data() + text.size());
  if (!utf::is_valid_codepoint(point)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(begin - text.data()));
  return point;
}

// What ZooKeeper's PathUtils refuses. Beyond the first plane Java sees surrogates, which it
// refuses too.
bool is_refused(std::uint32_t point) noexcept {
  return point <= 0x1f || (point >= 0x7f && point <= 0x9f) ||
         (point >= 0xd800 && point <= 0xf8ff) || point >= 0xfff0;
}

const char* fault_of_name(std::string_view name) noexcept {
  if (name.empty()) return "must not end with '/' or have an empty name";
  if (name == "." || name == "..") return "must not have the name '.' or '..'";
  return nullptr;
}

const char* fault_of_names(std::string_view path) noexcept {
  for (auto rest = path.substr(1);;) {
    const auto slash = rest.find('/');
    if (const auto* fault = fault_of_name(rest.substr(0, slash))) return fault;
    if (slash == rest.npos) break;
    rest.remove_prefix(slash + 1);
  }
  for (auto rest = path; !rest.empty();) {
    const auto point = next_code_point(rest);
    if (!point) return "must be UTF-8";
    if (is_refused(*point)) return "must not have a character that ZooKeeper refuses";
  }
  return nullptr;
}

const char* fault_of(std::string_view path) noexcept {
  if (path.empty()) return "must not be empty";
  if (path.front() != '/') return "must start with '/'";
  if (path.size() == 1) return "must not be the root";
  if (path.size() > longest_path) return "must not be longer than 2000 bytes";
  return fault_of_names(path);
}

// For people to read: whatever is in the path, one line and not too long.
std::string printable(std::string_view path) {
  constexpr std::size_t shown = 80;
  std::string text;
  for (const char c : path.substr(0, shown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      text += c;
    } else {
      constexpr std::string_view digits = "0123456789abcdef";
      text += "\\x";
      text += digits[byte >> 4];
      text += digits[byte & 0xfu];
    }
  }
  return path.size() > shown ? text + "..." : text;
}

} // namespace

lock_definition make_lock_definition(std::string_view chroot, std::string_view given,
                                     lock_kind kind) {
  if (const auto* fault = fault_of(given))
    throw boost::system::system_error(errc::bad_path,
                                      "invalid lock path \"" + printable(given) + "\": " + fault);
  lock_definition path{.given = std::string(given), .full = std::string(chroot), .kind = kind};
  path.full += given;
  path.line = path.permits = path.full;
  if (kind == lock_kind::semaphore) {
    // As Curator's InterProcessSemaphoreV2 calls them.
    path.line += "/locks";
    path.permits += "/leases";
  }
  return path;
}

bool is_node_path(std::string_view path) noexcept {
  if (!path.starts_with('/')) return false;
  return path.size() == 1 || !fault_of_names(path);
}

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty())
    if (!next_code_point(text)) return false;
  return true;
}

} // namespace zklock::detail
