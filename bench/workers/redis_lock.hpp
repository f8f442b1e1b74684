#pragma once

#include "redis_connection.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace bench {

/// Tells the waiters of a process when to try again.
class redis_wakeup {
 public:
  virtual ~redis_wakeup() = default;
  virtual void wait() = 0;
};

/// Lets each waiter try every 5 ms.
class redis_poll : public redis_wakeup {
 public:
  void wait() override;
};

/// A thread of the process listens to the channel of releases, and wakes a waiter for each.
/// Waking all of them would be a herd effect. Messages can be lost, and a woken waiter can come too
/// late, so each waiter also tries every 100 ms.
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

/// The lock that Redis' documentation describes for a single server: a key with a lifetime, which
/// is set if it does not exist. A script deletes it if the value is still the holder's.
class redis_lock {
 public:
  /// Publishes releases on `channel`, or nowhere if it is empty.
  redis_lock(const std::string& server, std::string key, std::string owner, std::string channel,
             redis_wakeup& wakeup);

  /// Returns false if it was stopped before the lock was held.
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
