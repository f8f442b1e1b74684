#pragma once

#include <cstddef>
#include <memory>

namespace zklock::detail {

class client_impl;

/// The bytes of `client_options::owned_bytes` that a caller of several locks has for them. Its
/// acquisitions take their parts along. The rest goes back to the budget when the object is
/// destroyed, by any thread.
class reserved_room {
 public:
  reserved_room(std::shared_ptr<client_impl> client, std::size_t bytes) noexcept;
  reserved_room(const reserved_room&) = delete;
  reserved_room& operator=(const reserved_room&) = delete;
  ~reserved_room();

  /// Returns whether there were so many bytes. Call it on the client's strand.
  bool take(std::size_t bytes) noexcept;

 private:
  const std::shared_ptr<client_impl> client_;
  std::size_t bytes_;
};

} // namespace zklock::detail
