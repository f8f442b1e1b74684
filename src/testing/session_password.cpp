#include "testing/session_password.hpp"

namespace zklock::testing {
namespace {

/// The part of java.util.Random that the password needs.
class java_random {
 public:
  explicit java_random(std::int64_t seed)
      : state_((static_cast<std::uint64_t>(seed) ^ multiplier) & mask) {}

  std::uint32_t next_int() {
    state_ = (state_ * multiplier + 11) & mask;
    return static_cast<std::uint32_t>(state_ >> 16);
  }

 private:
  static constexpr std::uint64_t multiplier = 0x5DEECE66D;
  static constexpr std::uint64_t mask = (std::uint64_t{1} << 48) - 1;

  std::uint64_t state_;
};

// The constant superSecret of ZooKeeper's SessionTrackerImpl.
constexpr std::int64_t super_secret = 0xB3415C00;

} // namespace

session_password password_of(std::int64_t session_id) {
  java_random random(session_id ^ super_secret);
  session_password password;
  for (std::size_t i = 0; i != password.size();) {
    std::uint32_t value = random.next_int();
    for (int byte = 0; byte != 4; ++byte, value >>= 8)
      password[i++] = static_cast<std::byte>(value & 0xFF);
  }
  return password;
}

} // namespace zklock::testing
