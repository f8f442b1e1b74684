#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::cli {

// Texts in the columns of a terminal, by the process's locale: a wide character takes two columns,
// a combining character none. The texts are UTF-8, as `printable` returns them.

/// Returns the number of columns that a text has.
std::size_t columns_of(std::string_view text);

/// Cuts the end of a text that has more columns, and shows that by "...".
std::string cut_end(std::string_view text, std::size_t columns);

/// Cuts the middle of a text that has more columns: of a path, the ends say most.
std::string cut_middle(std::string_view text, std::size_t columns);

/// Adds spaces at the end, or in front of a number.
std::string padded(std::string_view text, std::size_t columns, bool in_front = false);

/// Breaks a text into lines of at most so many columns.
std::vector<std::string> wrapped(std::string_view text, std::size_t columns);

} // namespace zklock::cli
