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

/// Appends the path of an entry without its number, as it is sent with a create.
void append_entry_path(std::string& out, std::string_view directory, queue::session_token token,
                       queue::entry_id id, std::string_view label);

/// Appends the path of an entry that has a number.
void append_entry_path(std::string& out, std::string_view directory, queue::session_token token,
                       queue::entry_id id, std::string_view label, queue::sequence number);

/// Appends the path of a permit that replaces an entry; `index` counts the permits of the entry.
void append_permit_path(std::string& out, std::string_view directory, queue::session_token token,
                        queue::entry_id id, std::uint32_t index);

/// The bytes that an entry's name adds to the path of its directory: slash, prefix, the longest
/// label and the longest number.
inline constexpr std::size_t entry_name_bytes = 1 + 39 + 9 + 11;

} // namespace zklock::detail
