#pragma once

#include "deterministic/service.hpp"

#include <netdb.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace deterministic {

class kernel;

/// Resolves the names of hosts for getaddrinfo(). Numeric addresses need no entry.
class names {
 public:
  struct entry {
    std::vector<std::string> addresses{};
    time_point delay = std::chrono::milliseconds{1};
    /// The result of getaddrinfo() instead of addresses, such as EAI_AGAIN.
    int error = 0;
  };

  explicit names(kernel& of) noexcept : kernel_(of) {}

  /// Defines a name, or changes it. Unknown names fail with EAI_NONAME.
  void set(const std::string& name, entry what) { entries_[name] = std::move(what); }

  /// getaddrinfo(). A name makes the current thread wait.
  int resolve(const char* host, const char* service, const addrinfo* hints, addrinfo** found);
  static void release(addrinfo* first) noexcept;

  /// How often that was called, also for numeric addresses.
  std::uint64_t lookups() const noexcept { return lookups_; }

 private:
  kernel& kernel_;
  std::map<std::string, entry> entries_;
  std::uint64_t lookups_ = 0;
};

} // namespace deterministic
