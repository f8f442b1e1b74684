#pragma once

#include <zklock/export.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <version>

#if defined(__cpp_lib_format)
#  include <format>
#endif

namespace zklock {

/// A number that rises with every hold of a lock, across clients, sessions, crashes and directories
/// that were deleted and made again.
///
/// A storage that remembers the highest token it has seen, and refuses lower tokens, never loses an
/// update, if each holder presents its token before its first read, and again with each write. A
/// storage that first sees a token with a write can accept a late write of an earlier holder
/// between the read and the write of a later holder. doc/guide/losing_the_lock.md has the
/// statements for databases.
///
/// The token of an exclusive hold is higher than the tokens of all earlier holds, of readers as
/// well. The token of a reader is higher than the tokens of all writers before it, and lower than
/// the tokens of all writers after it. Among readers tokens have no order: with
/// `client_options::lock_cache` a reader can have a lower token than a reader whose hold has ended.
/// So a storage refuses a reader whose token is lower than the highest token of a writer, and does
/// not remember the tokens of readers. Permits of a `semaphore` that are held together have no
/// order either.
///
/// The first part is the id of the transaction that created the hold's entry (its czxid). The
/// ensemble assigns rising ids, each once, unless it comes back with older data: see
/// `errc::data_rolled_back`. The second part counts the earlier holds of the entry; it is 0 unless
/// `client_options::local_handoffs` or `client_options::lock_cache` is set. With either option
/// several holds share the first part: the first part alone is then no token.
class ZKLOCK_EXPORT fencing_token {
 public:
  /// Makes the lowest token.
  ///
  /// Thread safety: distinct objects may be used concurrently.
  constexpr fencing_token() noexcept = default;

  /// Makes a token of its parts, for example read back from storage.
  ///
  /// Thread safety: distinct objects may be used concurrently.
  constexpr fencing_token(std::int64_t transaction, std::uint32_t turn) noexcept
      : transaction_(transaction), turn_(turn) {}

  /// Returns the transaction that created the hold's entry. All holds of an entry share it.
  ///
  /// Thread safety: safe.
  [[nodiscard]] constexpr std::int64_t transaction() const noexcept { return transaction_; }

  /// Returns the number of earlier holds of the entry.
  ///
  /// Thread safety: safe.
  [[nodiscard]] constexpr std::uint32_t turn() const noexcept { return turn_; }

  /// Returns the token as text of always 25 characters that sorts as the tokens do: 16 hexadecimal
  /// digits, a dash, 8 hexadecimal digits.
  ///
  /// Thread safety: safe.
  [[nodiscard]] std::string to_string() const;

  /// Parses the text that `to_string` returns. Returns no token if the text has another form.
  ///
  /// Thread safety: safe.
  [[nodiscard]] static std::optional<fencing_token> from_string(std::string_view text) noexcept;

  /// Compares by transaction, then by turn.
  ///
  /// Thread safety: safe.
  friend constexpr auto operator<=>(const fencing_token&, const fencing_token&) noexcept = default;

 private:
  std::int64_t transaction_ = 0;
  std::uint32_t turn_ = 0;
};

/// Writes `token.to_string()`.
///
/// Thread safety: as the stream.
ZKLOCK_EXPORT std::ostream& operator<<(std::ostream& out, const fencing_token& token);

} // namespace zklock

/// Hashes both parts of a token.
template <>
struct std::hash<zklock::fencing_token> {
  /// Returns the hash of the token.
  [[nodiscard]] std::size_t operator()(const zklock::fencing_token& token) const noexcept {
    // Turns are small: they change the high bits, transactions the low bits.
    return std::hash<std::uint64_t>()(static_cast<std::uint64_t>(token.transaction()) ^
                                      std::uint64_t{token.turn()} << 40);
  }
};

#if defined(__cpp_lib_format)
/// Formats `token.to_string()`, with the options of a string.
template <>
struct std::formatter<zklock::fencing_token> : std::formatter<std::string_view> {
  /// Writes the text of the token.
  auto format(const zklock::fencing_token& token, std::format_context& context) const {
    return std::formatter<std::string_view>::format(token.to_string(), context);
  }
};
#endif
