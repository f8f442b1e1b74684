#pragma once

#include <zklock/testing/frame.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace zklock::testing {

/// What a connection has asked for and not been answered yet: it tells what a reply replies to.
class open_requests {
 public:
  void asked(std::int32_t xid, operation kind) { open_.emplace_back(xid, kind); }
  operation answered(std::int32_t xid);

 private:
  std::deque<std::pair<std::int32_t, operation>> open_;
};

/// Takes the bytes of one direction of a connection and gives them back frame by frame.
class frame_reader {
 public:
  frame_reader(direction way, open_requests& open) : way_(way), open_(&open) {}

  void append(std::string_view bytes);

  /// What is next to pass on: a frame, with the bytes on the wire.
  struct piece {
    frame content;
    std::string_view wire;
  };

  /// Returns the next frame once it is complete. It stays valid until the next call of `append`.
  std::optional<piece> next();

  /// Returns whether these bytes are no frames but, for example, a four-letter word: `rest` gives
  /// them then.
  bool is_foreign() const { return foreign_; }
  void set_foreign() { foreign_ = true; }
  std::string_view rest();

 private:
  frame parse(std::string_view bytes);

  direction way_;
  open_requests* open_;
  std::string buffer_;
  std::size_t begin_ = 0;
  bool first_ = true;
  bool foreign_ = false;
};

} // namespace zklock::testing
