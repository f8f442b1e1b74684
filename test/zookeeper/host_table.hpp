#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace zklock::test {

/// The results of the program's `getaddrinfo`. Names outside the table are looked up as usual.
class host_table {
 public:
  /// How a look-up of a name goes.
  struct behaviour {
    /// A numeric address; empty where the name has none.
    std::string address{};
    /// The least time that a look-up takes.
    std::chrono::milliseconds time{0};
    /// The look-up lasts until this changes.
    bool held = false;
  };

  static host_table& instance();

  void set(const std::string& name, behaviour how);

  /// The names looked up, in order, since the table was made or cleared.
  std::vector<std::string> asked() const;

  /// Ends all look-ups that are held.
  void clear();

  /// Looks a name up. Returns whether it is in the table.
  bool look_up(const std::string& name, std::string& address);

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, behaviour> names_;
  std::vector<std::string> asked_;
};

/// Ends held look-ups before the contexts of a test wait for them.
struct own_names {
  host_table& table = host_table::instance();

  own_names() { table.clear(); }
  ~own_names() { table.clear(); }
  own_names(const own_names&) = delete;
  own_names& operator=(const own_names&) = delete;

  long asked(const std::string& name) const {
    const auto all = table.asked();
    return std::count(all.begin(), all.end(), name);
  }
};

inline std::string with_port(const std::string& name, std::uint16_t port) {
  return name + ':' + std::to_string(port);
}

} // namespace zklock::test
