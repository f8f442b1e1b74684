#pragma once

#include <chrono>
#include <istream>
#include <ostream>
#include <string>

/// A duration on a command line: `300ms` or `4s`.
struct duration_option {
  std::chrono::milliseconds value{};
};

inline std::istream& operator>>(std::istream& in, duration_option& option) {
  long number = 0;
  std::string unit;
  in >> number >> unit;
  if (number < 0 || number > 86'400'000 || (unit != "ms" && unit != "s"))
    in.setstate(std::ios::failbit);
  else
    option.value = unit == "s" ? std::chrono::seconds(number) : std::chrono::milliseconds(number);
  return in;
}

inline std::ostream& operator<<(std::ostream& out, const duration_option& option) {
  return out << option.value.count() << "ms";
}
