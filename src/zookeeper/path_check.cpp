#include "zookeeper/path_check.hpp"

#include "support/text_character.hpp"

#include <cstdint>

namespace zklock::zookeeper {

namespace {

// As ZooKeeper's PathUtils refuses it. Beyond the first plane Java sees surrogates, which are
// refused too.
bool is_refused(std::uint32_t point) noexcept {
  return point <= 0x1f || (point >= 0x7f && point <= 0x9f) ||
         (point >= 0xd800 && point <= 0xf8ff) || point >= 0xfff0;
}

const char* fault_of_name(std::string_view name) noexcept {
  if (name.empty()) return "must not end with '/' or have an empty name";
  if (name == "." || name == "..") return "must not have the name '.' or '..'";
  return nullptr;
}

} // namespace

const char* fault_of_path(std::string_view path) noexcept {
  for (auto rest = path.substr(1);;) {
    const auto slash = rest.find('/');
    if (const auto* fault = fault_of_name(rest.substr(0, slash))) return fault;
    if (slash == rest.npos) break;
    rest.remove_prefix(slash + 1);
  }
  for (auto rest = path; !rest.empty();) {
    const auto each = detail::take_character(rest);
    if (!each.is_valid()) return "must be UTF-8";
    if (is_refused(each.point)) return "must not have a character that ZooKeeper refuses";
  }
  return nullptr;
}

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty())
    if (!detail::take_character(text).is_valid()) return false;
  return true;
}

} // namespace zklock::zookeeper
