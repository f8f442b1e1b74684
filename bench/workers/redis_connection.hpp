#pragma once

#include <hiredis/hiredis.h>

#include <memory>
#include <string>
#include <vector>

namespace bench {

/// A connection to a Redis server, for a single thread.
class redis_connection {
 public:
  using reply = std::unique_ptr<redisReply, void (*)(void*)>;

  /// Connects to `server`, which is `host:port`. Throws if that fails.
  explicit redis_connection(const std::string& server);

  /// Sends a command and waits for its reply. Throws if there is no reply, or an error.
  reply call(const std::vector<std::string>& command);

  /// Waits for the next message of a subscribed channel. Returns false when the connection ends.
  bool wait_for_message();

  /// Ends the connection, even while another thread waits on it.
  void cut();

 private:
  [[noreturn]] void fail(const std::string& what) const;

  std::unique_ptr<redisContext, void (*)(redisContext*)> context_;
};

} // namespace bench
