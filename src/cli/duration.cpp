#include "cli/duration.hpp"

#include <boost/program_options/errors.hpp>
#include <boost/program_options/value_semantic.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <ostream>
#include <stdexcept>
#include <string_view>

namespace zklock::cli {

namespace {

struct unit {
  std::string_view name;
  double seconds;
};

constexpr std::array<unit, 6> units{
    {{"", 1}, {"ms", 0.001}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}}};

// Sums of two such times do not overflow.
constexpr double most_seconds = 100 * 365 * 86400.0;

// Not in the scientific form that a stream chooses for long times, and without its locale.
std::string in_seconds(std::chrono::nanoseconds time) {
  std::array<char, 64> text;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(),
                    std::chrono::duration<double>(time).count(), std::chars_format::fixed);
  return {text.data(), end.ptr};
}

} // namespace

duration parse_duration(const std::string& text) {
  const auto refuse = [&text](const std::string& why) {
    throw std::invalid_argument("invalid time \"" + text + "\": " + why);
  };
  double number = 0;
  const auto* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (parsed.ec != std::errc() || !std::isfinite(number))
    refuse("must be a number of seconds, or a number with a unit (ms, s, m, h, d)");
  if (number < 0) refuse("must not be negative");
  const std::string_view name(parsed.ptr, static_cast<std::size_t>(end - parsed.ptr));
  for (const auto& each : units) {
    if (each.name != name) continue;
    const double seconds = number * each.seconds;
    if (seconds > most_seconds) refuse("must not be longer than 100 years");
    return {std::chrono::ceil<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds))};
  }
  refuse("has an unknown unit; the units are ms, s, m, h and d");
  return {};
}

std::string to_text(std::chrono::nanoseconds time) {
  return in_seconds(time) + " s";
}

std::ostream& operator<<(std::ostream& out, const duration& value) {
  return out << in_seconds(value.time);
}

void validate(boost::any& value, const std::vector<std::string>& texts, duration*, int) {
  namespace options = boost::program_options;
  options::validators::check_first_occurrence(value);
  const std::string text = options::validators::get_single_string(texts);
  try {
    value = parse_duration(text);
  } catch (const std::invalid_argument& e) {
    throw options::error_with_option_name(std::string("%canonical_option%: ") + e.what());
  }
}

} // namespace zklock::cli
