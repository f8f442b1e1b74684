#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace zklock::test {

/// What the program's `getaddrinfo` finds. Names that are not in the table are looked up as ever.
class host_table {
 public:
  /// How a look-up of a name goes.
  struct behaviour {
    /// A numeric address; empty: there is none.
    std::string address{};
    /// Takes the look-up at least.
    std::chrono::milliseconds time{0};
    /// Lasts until that is changed.
    bool held = false;
  };

  static host_table& instance();

  void set(const std::string& name, behaviour how);

  /// The names that were looked up, in this order, since the table was made or cleared.
  std::vector<std::string> asked() const;

  /// Lets go of all look-ups that are held.
  void clear();

  /// Looks a name up. Returns whether it is in the table.
  bool look_up(const std::string& name, std::string& address);

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, behaviour> names_;
  std::vector<std::string> asked_;
};

} // namespace zklock::test
