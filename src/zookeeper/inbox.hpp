#pragma once

#include <zklock/clock.hpp>

#include "zookeeper/request.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::zookeeper {

/// A request as the log names it.
struct request_label {
  /// A string literal: the request is one "to `name`". Null without a request.
  const char* name = nullptr;
  /// The size of a transaction.
  std::size_t bytes = 0;
};

/// The label of `list_own`: a session asks no more if servers may not know the request.
inline constexpr const char* list_own_label = "list the session's nodes";

/// One callback of the C client: the reply to a request, or a watch event.
struct message {
  /// Null for a watch event.
  receiver* to = nullptr;
  request_tag tag;
  /// Its views are empty: their text is in `inbox::text`.
  reply answer;
  request_label request;
  /// When the request was sent.
  boot_clock::time_point sent;
  /// Whether the reply is that of a committed transaction.
  bool committed = false;
  watch_event event = watch_event::node;
  /// Whether the text is a node's data.
  bool has_data = false;
  /// The part of `inbox::text`: a path, data, or `children` names, each terminated by a zero.
  std::size_t text_begin = 0;
  std::size_t text_size = 0;
  std::size_t children = 0;
};

/// The messages of callbacks, until they are delivered outside the C client. The memory is reused,
/// up to a bound.
struct inbox {
  std::vector<message> messages;
  std::string text;

  void clear() noexcept {
    messages.clear();
    text.clear();
    // Frees the memory of many or large messages. Assignments of empty texts keep it.
    if (messages.capacity() > most_kept_messages) messages = std::vector<message>();
    if (text.capacity() > most_kept_text) std::string().swap(text);
  }

 private:
  static constexpr std::size_t most_kept_messages = 1024;
  static constexpr std::size_t most_kept_text = std::size_t{64} * 1024;
};

} // namespace zklock::zookeeper
