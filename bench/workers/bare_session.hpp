#pragma once

#include "measurement.hpp"

#include <zookeeper/zookeeper.h>

#include <memory>
#include <string>

namespace bench {

/// A session of the plain C client, driven by poll: the cost of ZooKeeper without a lock on top.
class bare_session {
 public:
  /// Connects. Throws if that takes too long.
  explicit bare_session(const std::string& servers);

  zhandle_t* handle() const { return handle_.get(); }

  /// Creates a znode if it does not exist.
  void make(const std::string& path, int create_mode = ZOO_PERSISTENT);

  /// Processes completions and watches until this time.
  void run_until(clock::time_point end);

  /// Waits for an event, until this time at most.
  void turn(clock::time_point end);

 private:
  std::unique_ptr<zhandle_t, int (*)(zhandle_t*)> handle_;
};

/// Ends the program if a request failed. No exception may pass through the C client.
void check(int code, const std::string& what);

} // namespace bench
