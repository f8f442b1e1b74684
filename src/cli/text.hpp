#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace zklock::cli {

/// Returns the text with every malformed part of UTF-8 replaced by U+FFFD. The data of a znode can
/// be any bytes.
std::string well_formed(std::string_view text);

/// Returns the text for a terminal: `\xNN` replaces control characters, which would act on the
/// terminal, characters that change the direction of the text, and malformed parts.
std::string printable(std::string_view text);

/// Returns the number of characters of a printable text.
std::size_t width_of(std::string_view text) noexcept;

/// Returns an age in at most six characters: `0.4s`, `12s`, `5m03s`, `2h10m`, `4d03h`. An age below
/// zero, which the clock of a server that is ahead shows, is 0.
std::string age_text(std::chrono::nanoseconds age);

/// Returns a number with so many digits after a decimal point, in every locale.
std::string decimal_text(double number, int digits);

/// Returns a short time in milliseconds: `1.3 ms`.
std::string milliseconds_text(std::chrono::nanoseconds time);

/// Returns the id of a session as ZooKeeper's tools print it: `0x100000000000001`.
std::string session_text(std::int64_t session);

} // namespace zklock::cli
