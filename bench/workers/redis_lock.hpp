#pragma once

#include "redis_connection.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace bench {

/// How the waiters of a process come to know that they should try again.
class redis_wakeup {
 public:
  virtual ~redis_wakeup() = default;
  virtual void wait() = 0;
};

/// They try every 5 ms.
class redis_poll : public redis_wakeup {
 public:
  void wait() override;
};

/// A thread of the process listens to the channel on which releases are told, and wakes one waiter
/// for each: to wake all of them would only make them get in each other's way. Messages can be
/// lost, and whoever is woken may come too late, so each waiter tries every 100 ms anyway.
class redis_subscription : public redis_wakeup {
 public:
  redis_subscription(const std::string& server, const std::string& channel);
  ~redis_subscription() override;

  void wait() override;

 private:
  void listen();

  redis_connection connection_;
  std::mutex mutex_{};
  std::condition_variable told_{};
  bool released_ = false;
  std::thread listener_{};
};

/// The lock that Redis' documentation describes for one server: a key that is set where it does not
/// exist, with a lifetime, and deleted by a script where the value is still the holder's own.
class redis_lock {
 public:
  /// `channel` is where releases are told; empty: they are not.
  redis_lock(const std::string& server, std::string key, std::string owner, std::string channel,
             redis_wakeup& wakeup);

  /// Returns false when it was stopped before the lock was held.
  bool acquire(const std::atomic<bool>& stopped);

  void release();

 private:
  redis_connection connection_;
  std::string key_;
  std::string owner_;
  std::string channel_;
  redis_wakeup& wakeup_;
  std::string script_;
};

} // namespace bench
