#pragma once

#include "queue/entry_name.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace zklock::detail {

/// The last name in a path.
inline std::string_view name_of(std::string_view path) noexcept {
  return path.substr(path.rfind('/') + 1);
}

/// The bytes that an entry's name adds to the path of its directory: slash, prefix, the longest
/// label and the longest number.
inline constexpr std::size_t entry_name_bytes = 1 + 39 + 9 + 11;

inline void append_directory(std::string& out, std::string_view directory) {
  out.reserve(out.size() + directory.size() + entry_name_bytes);
  out += directory;
  out += '/';
}

/// Appends the path of an entry without its number, as it is sent with a create.
inline void append_entry_path(std::string& out, std::string_view directory,
                              queue::session_token token, queue::entry_id id,
                              std::string_view label) {
  append_directory(out, directory);
  queue::append_prefix(out, token, id, label);
}

/// Appends the path of an entry that has a number.
inline void append_entry_path(std::string& out, std::string_view directory,
                              queue::session_token token, queue::entry_id id,
                              std::string_view label, queue::sequence number) {
  append_entry_path(out, directory, token, id, label);
  queue::append_number(out, number);
}

/// Appends the path of a permit that replaces an entry; `index` counts the permits of the entry.
inline void append_permit_path(std::string& out, std::string_view directory,
                               queue::session_token token, queue::entry_id id,
                               std::uint32_t index) {
  append_directory(out, directory);
  queue::append_permit(out, token, id, index);
}

} // namespace zklock::detail
