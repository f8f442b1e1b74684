#pragma once

#include <version>

namespace zklock::detail {

// The parts of the standard library's configuration that change the layout of strings and
// containers, which the options and the results of functions have.
namespace standard_build {

struct new_strings;
struct old_strings;
#if defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI
using strings = old_strings;
#else
using strings = new_strings;
#endif

struct checked_containers;
struct plain_containers;
#if defined(_GLIBCXX_DEBUG)
using containers = checked_containers;
#else
using containers = plain_containers;
#endif

} // namespace standard_build

/// The type of an argument. The library defines a function with this argument for its own settings
/// only: a program with other settings does not link, and the linker's message names the program's
/// settings.
template <class... Settings>
struct program_and_library_have_the_same_settings {
  template <class... More>
  using with = program_and_library_have_the_same_settings<Settings..., More...>;
};

/// The settings that every program must have.
using build_settings =
    program_and_library_have_the_same_settings<standard_build::strings, standard_build::containers>;

} // namespace zklock::detail
