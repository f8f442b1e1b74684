#pragma once

#include <zklock/clock.hpp>

#include "zookeeper/request.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::zookeeper {

/// What one callback of the C client said: the answer to a request, or that a watch fired.
struct message {
  /// None for a watch.
  receiver* to = nullptr;
  request_tag tag;
  /// Its views are empty: what they will show lies in `inbox::text`.
  reply answer;
  /// When the request that this answers was sent.
  boot_clock::time_point sent;
  /// Whether the answer is that of a transaction of the quorum.
  bool committed = false;
  watch_event event = watch_event::node;
  /// Whether its text is a node's data.
  bool has_data = false;
  /// A path, data, or as many names as there are children, each with a zero behind it.
  std::size_t text_begin = 0;
  std::size_t text_size = 0;
  std::size_t children = 0;
};

/// What callbacks of the C client said, until they have returned and it can be told. Its memory
/// is used again and again.
struct inbox {
  std::vector<message> messages;
  std::string text;

  void clear() noexcept {
    messages.clear();
    text.clear();
  }
};

} // namespace zklock::zookeeper
