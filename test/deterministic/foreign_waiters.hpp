#pragma once

#include <zklock/fencing_token.hpp>

#include "plan.hpp"
#include "service.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace deterministic {

/// The directory that a node is in.
inline std::string_view directory_of(std::string_view path) {
  return path.substr(0, path.rfind('/'));
}

/// Checks that a client does not keep a mutex for its own waiters while an entry of another client
/// is in line: it hands its entry over only as often as `local_handoffs` allows.
class foreign_waiters {
 public:
  foreign_waiters(const plan& design, std::function<void(const std::string&)> violated);
  foreign_waiters(const foreign_waiters&) = delete;
  foreign_waiters& operator=(const foreign_waiters&) = delete;

  /// A transaction of the servers has made an entry of a mutex, or deleted an entry of any lock.
  void created(std::string_view path, std::int64_t session, std::int64_t transaction,
               time_point now);
  void deleted(std::string_view path);
  /// The servers have other entries from now on.
  void forget() noexcept { lines_.clear(); }

  /// A client has granted a hold of the lock.
  void granted(std::string_view lock, zklock::fencing_token token, time_point now);

 private:
  struct entry {
    std::int64_t session;
    std::int64_t transaction;
    time_point since;
    /// How often it was handed over while another client had to be known.
    std::uint32_t handoffs = 0;
  };
  using line = std::map<std::string, entry, std::less<>>;

  const std::uint32_t allowed_;
  const std::chrono::nanoseconds time_to_know_;
  const std::function<void(const std::string&)> violated_;
  /// By the directory of the mutex.
  std::map<std::string, line, std::less<>> lines_;
};

} // namespace deterministic
