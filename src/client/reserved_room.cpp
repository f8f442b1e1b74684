#include "client/reserved_room.hpp"

#include "client/client_impl.hpp"

#include <utility>

namespace zklock::detail {

reserved_room::reserved_room(std::shared_ptr<client_impl> client, std::size_t bytes) noexcept
    : client_(std::move(client)), bytes_(bytes) {}

reserved_room::~reserved_room() {
  if (bytes_ == 0) return;
  client_->run([&client = *client_, bytes = bytes_] { client.locks().give_back_room(bytes); });
}

bool reserved_room::take(std::size_t bytes) noexcept {
  if (bytes > bytes_) return false;
  bytes_ -= bytes;
  return true;
}

} // namespace zklock::detail
