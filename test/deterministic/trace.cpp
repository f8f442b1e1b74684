#include "trace.hpp"

#include <cstdio>

namespace deterministic {

namespace {

constexpr std::size_t lines_kept = 120;
constexpr std::uint64_t fnv_prime = 0x100000001b3;

} // namespace

std::string seconds(std::chrono::nanoseconds time) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.3f", std::chrono::duration<double>(time).count());
  return digits;
}

void trace::aside(const std::string& line) const {
  if (printed_)
    std::printf("%s   %s\n", seconds(clock_ ? clock_->now() : time_point{0}).c_str(), line.c_str());
}

void trace::add(const std::string& line) {
  std::string timed = seconds(clock_ ? clock_->now() : time_point{0}) + ' ' + line;
  for (const char each : timed)
    hash_ = (hash_ ^ static_cast<unsigned char>(each)) * fnv_prime;
  ++lines_;
  if (printed_) std::puts(timed.c_str());
  last_.push_back(std::move(timed));
  if (last_.size() > lines_kept) last_.pop_front();
}

} // namespace deterministic
