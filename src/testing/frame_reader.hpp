#pragma once

#include "testing/frame.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace zklock::testing {

/// The outstanding requests of a connection, which show the type of each reply.
class outstanding_requests {
 public:
  void add(std::int32_t xid, operation kind) { requests_.emplace_back(xid, kind); }

  /// Removes the request with this xid, and the requests before it. Returns the type of the
  /// request.
  operation take(std::int32_t xid);

 private:
  std::deque<std::pair<std::int32_t, operation>> requests_;
};

/// Splits the bytes of a direction of a connection into frames.
class frame_reader {
 public:
  frame_reader(direction way, outstanding_requests& outstanding)
      : way_(way), outstanding_(&outstanding) {}

  void append(std::string_view bytes);

  /// A frame, and its bytes on the wire.
  struct piece {
    frame content;
    std::string_view wire;
  };

  /// Returns the next complete frame. It is valid until the next call of `append`.
  std::optional<piece> next();

  /// Returns whether the bytes are no frames but, for example, a four-letter word. `take_raw`
  /// returns them then.
  bool is_raw() const { return raw_; }
  void set_raw() { raw_ = true; }
  std::string_view take_raw();

 private:
  frame parse(std::string_view bytes);

  direction way_;
  outstanding_requests* outstanding_;
  std::string buffer_;
  std::size_t begin_ = 0;
  bool first_ = true;
  bool raw_ = false;
};

} // namespace zklock::testing
