#pragma once

#include "queue/entry_name.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace zklock::detail {

/// The directory of a lock: as the user gave it, and with the chroot before it.
struct lock_path {
  std::string given;
  std::string full;
};

/// Throws `system_error(errc::bad_path)` that names the path and what is wrong with it.
std::shared_ptr<const lock_path> make_lock_path(std::string_view chroot, std::string_view given);

/// Whether the text is well-formed UTF-8.
bool is_utf8(std::string_view text) noexcept;

/// Appends the path of an entry without its number, as it is sent with a create.
void append_entry_path(std::string& out, std::string_view directory, queue::session_token token,
                       queue::entry_id id, std::string_view label);

/// Appends the path of an entry that has a number.
void append_entry_path(std::string& out, std::string_view directory, queue::session_token token,
                       queue::entry_id id, std::string_view label, queue::sequence number);

/// The longest path of a lock, in bytes.
inline constexpr std::size_t longest_path = 2000;

/// What an entry's name adds to the path of its directory, in bytes: slash, prefix, the longest
/// label and the longest number.
inline constexpr std::size_t entry_name_bytes = 1 + 39 + 9 + 11;

} // namespace zklock::detail
