#pragma once

#include "measurement.hpp"

#include <zookeeper/zookeeper.h>

#include <memory>
#include <string>

namespace bench {

/// A session of the plain C client, which is driven by poll: what ZooKeeper costs before anybody
/// adds a lock to it.
class bare_session {
 public:
  /// Connects; throws where that takes too long.
  explicit bare_session(const std::string& servers);

  zhandle_t* handle() const { return handle_.get(); }

  /// Makes a node that stays; no harm where it exists.
  void make(const std::string& path);

  /// Carries on, and runs completions and watches, until this time.
  void run_until(clock::time_point end);

  /// Waits for something to happen, until this time at most.
  void turn(clock::time_point end);

 private:
  std::unique_ptr<zhandle_t, int (*)(zhandle_t*)> handle_;
};

/// Ends the program where a request failed. Nothing may be thrown through the C client.
void check(int code, const std::string& what);

} // namespace bench
