#pragma once

#include "zookeeper/c_client.hpp"
#include "zookeeper/exchange.hpp"
#include "zookeeper/handle_end.hpp"
#include "zookeeper/reply_check.hpp"

namespace zklock::zookeeper {

/// The C client's callbacks. Their context is the reply reader.
///
/// A callback only copies its arguments into the oldest exchange: a handle must be neither closed
/// nor processed inside a callback. The C client calls back for all requests, in their order; for a
/// request without a reply once the connection is lost.
class reply_reader {
 public:
  reply_reader(exchanges& sent, const reply_check& checked, handle_end& end) noexcept
      : sent_(sent), checked_(checked), end_(end) {}

  reply_reader(const reply_reader&) = delete;
  reply_reader& operator=(const reply_reader&) = delete;

  /// Makes all later callbacks do nothing.
  void detach() noexcept { detached_ = true; }

  /// The request behind which the connection was lost: the largest transaction without a reply, or
  /// else the first request without a reply.
  request_label unanswered() const noexcept { return unanswered_; }

  static void on_event(zhandle_t* library, int type, int state, const char* path,
                       void* context) noexcept;
  static void on_directory(int code, const char* path, const void* context) noexcept;
  static void on_entry(int code, const char* path, const Stat* stat, const void* context) noexcept;
  static void on_removed(int code, const void* context) noexcept;
  static void on_list(int code, const String_vector* names, const Stat* stat,
                      const void* context) noexcept;
  static void on_own(int code, const String_vector* paths, const void* context) noexcept;
  static void on_node(int code, const char* value, int size, const Stat* stat,
                      const void* context) noexcept;
  static void on_watch_removed(int code, const void* context) noexcept;
  static void on_sync(int code, const char* path, const void* context) noexcept;
  static void on_stat(int code, const Stat* stat, const void* context) noexcept;
  static void on_transaction(int code, const void* context) noexcept;

 private:
  exchange* finish(int code);
  exchange* finish_names(int code, const String_vector* names);
  void drop(int code) noexcept;

  exchanges& sent_;
  const reply_check& checked_;
  handle_end& end_;
  request_label unanswered_;
  bool detached_ = false;
};

} // namespace zklock::zookeeper
