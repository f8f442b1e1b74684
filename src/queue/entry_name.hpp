#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zklock::queue {

/// Identifies an entry of ours in all lock directories of a session.
using entry_id = std::uint64_t;

/// The number that the servers append to an entry's name: its place in line.
using sequence = std::int64_t;

/// Whether an entry holds alone, or beside readers.
enum class role : std::uint8_t { exclusive, shared };

/// Drawn at random for each session, and part of the names of all its entries: a listed name with
/// our token is an entry of this session, even if the reply to its create was lost.
struct session_token {
  std::uint64_t bits = 0;

  // The last bit tells other clients whether this client caches entries.

  bool caches() const noexcept { return (bits & 1) != 0; }
  session_token with(bool caches) const noexcept { return {(bits & ~std::uint64_t{1}) | caches}; }

  friend bool operator==(session_token, session_token) = default;
};

/// The parts of an entry's name.
struct entry_name {
  sequence number = 0;
  role wants = role::exclusive;
  /// Whether the name has a token and an id, in zklock's form.
  bool has_id = false;
  session_token token;
  entry_id id = 0;
};

/// Appends `_c_<uuid><label>`, the name of an entry without its number. The uuid is made of the
/// token and the id: version 8 of RFC 9562, whose bits are free to use.
void append_prefix(std::string& out, session_token token, entry_id id, std::string_view label);

/// Appends the number as the servers write it: at least ten characters, including the sign.
void append_number(std::string& out, sequence number);

/// Appends the name of the permit `index` of an entry.
void append_permit(std::string& out, session_token token, entry_id id, std::uint32_t index);

/// Returns the entry that the permit replaced; empty if it is no permit of the session.
std::optional<entry_id> parse_permit(std::string_view name, session_token token) noexcept;

/// Whether the name, of an entry or a permit, was made by a zklock client, ours included.
bool is_of_zklock(std::string_view name) noexcept;

/// Returns the number in the name of an entry that was made by `append_prefix` with this label; -1
/// if there is none.
sequence number_behind(std::string_view label, std::string_view name) noexcept;

/// Returns the number at the end of a name; -1 if there is none.
sequence trailing_number(std::string_view name) noexcept;

/// Parses the name of a child of a lock's directory. Empty if no known client makes such entries:
/// zklock, Curator, kazoo, go-zookeeper and ZooKeeper's own recipes.
std::optional<entry_name> parse_entry_name(std::string_view name) noexcept;

/// The highest number that an entry may have. Numbers are 32 bits wide on the servers, which stop
/// counting or turn negative beyond 2^31 - 1 (ZOOKEEPER-4706); the margin covers the creates that
/// are in flight in all clients at that moment.
inline constexpr sequence last_number = (sequence{1} << 31) - (sequence{1} << 20);

} // namespace zklock::queue
