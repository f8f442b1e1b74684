#pragma once

#include <hiredis/hiredis.h>

#include <memory>
#include <string>
#include <vector>

namespace bench {

/// A connection to a Redis server, for one thread.
class redis_connection {
 public:
  using reply = std::unique_ptr<redisReply, void (*)(void*)>;

  /// `server` is `host:port`. Throws where there is none.
  explicit redis_connection(const std::string& server);

  /// Sends a command and waits for its reply. Throws where there is none, or an error.
  reply call(const std::vector<std::string>& command);

  /// Waits for the next message of a channel that was subscribed to. Returns false when the
  /// connection ends.
  bool wait_for_message();

  /// Ends the connection; another thread may be waiting on it.
  void cut();

 private:
  [[noreturn]] void fail(const std::string& what) const;

  std::unique_ptr<redisContext, void (*)(redisContext*)> context_;
};

} // namespace bench
