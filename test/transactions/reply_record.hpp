#pragma once

#include <zklock/testing/relay.hpp>

#include "testing/relay_hooks.hpp"

#include <mutex>
#include <string>
#include <utility>

namespace zklock::test {

/// The zxids in the headers that a server sends in reply to writes, as text.
class reply_record {
 public:
  void watch(testing::relay& door) {
    testing::relay_hooks(door).when(
        testing::direction::to_client,
        [this, server = door.address()](const testing::frame& one) {
          if (one.kind != testing::operation::multi && one.kind != testing::operation::create2)
            return false;
          const std::lock_guard lock(mutex_);
          text_ += '\n' + server + " replied to request " + std::to_string(one.xid) +
                   " with the zxid " + std::to_string(one.zxid);
          return false;
        },
        testing::reaction::observe);
  }

  /// Returns the record since the last call.
  std::string take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(text_, {});
  }

 private:
  std::mutex mutex_;
  std::string text_;
};

} // namespace zklock::test
