#include "redis_lock.hpp"

#include <stdexcept>
#include <utility>

namespace bench {

using namespace std::chrono_literals;

namespace {

constexpr const char* release_script = R"(
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('del', KEYS[1])
if ARGV[2] ~= '' then redis.call('publish', ARGV[2], '') end
return 1
)";

} // namespace

void redis_poll::wait() {
  std::this_thread::sleep_for(5ms);
}

redis_subscription::redis_subscription(const std::string& server, const std::string& channel)
    : connection_(server) {
  connection_.call({"SUBSCRIBE", channel});
  listener_ = std::thread([this] { listen(); });
}

redis_subscription::~redis_subscription() {
  connection_.cut();
  listener_.join();
}

void redis_subscription::wait() {
  std::unique_lock lock(mutex_);
  told_.wait_for(lock, 100ms, [this] { return released_; });
  released_ = false;
}

void redis_subscription::listen() {
  while (connection_.wait_for_message()) {
    {
      const std::lock_guard lock(mutex_);
      released_ = true;
    }
    told_.notify_one();
  }
}

redis_lock::redis_lock(const std::string& server, std::string key, std::string owner,
                       std::string channel, redis_wakeup& wakeup)
    : connection_(server),
      key_(std::move(key)),
      owner_(std::move(owner)),
      channel_(std::move(channel)),
      wakeup_(wakeup) {
  const auto loaded = connection_.call({"SCRIPT", "LOAD", release_script});
  script_.assign(loaded->str, loaded->len);
}

bool redis_lock::acquire(const std::atomic<bool>& stopped) {
  while (!stopped) {
    const auto reply = connection_.call({"SET", key_, owner_, "NX", "PX", "30000"});
    if (reply->type == REDIS_REPLY_STATUS) return true;
    wakeup_.wait();
  }
  return false;
}

void redis_lock::release() {
  const auto reply = connection_.call({"EVALSHA", script_, "1", key_, owner_, channel_});
  if (reply->integer != 1) throw std::logic_error("another client has taken the lock");
}

} // namespace bench
