#pragma once

#include <cstdio>
#include <sstream>
#include <stdexcept>
#include <string>

namespace simulation {

template <class... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

/// A rule is broken.
class failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <class... Parts>
[[noreturn]] void fail(const Parts&... parts) {
  throw failure(text(parts...));
}

/// Prints the events, step by step, while a single history is replayed.
class trace {
 public:
  explicit trace(bool on) noexcept : on_(on) {}

  template <class... Parts>
  void operator()(const Parts&... parts) const {
    if (on_) std::puts(text(parts...).c_str());
  }

 private:
  bool on_;
};

} // namespace simulation
