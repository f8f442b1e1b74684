#include "client/session_room.hpp"

#include <utility>

namespace zklock::detail {

void session_room::settle(queue::room_user& user) {
  if (budget_.update(user)) serve_later();
}

void session_room::give_back(std::size_t bytes) {
  budget_.put_back(bytes);
  if (budget_.is_any_waiting()) serve_later();
}

void session_room::return_later(std::size_t bytes) {
  core_.run([this, bytes] { give_back(bytes); });
}

void session_room::serve_later() {
  if (std::exchange(is_serving_, true)) return;
  core_.post([this] {
    budget_.serve();
    is_serving_ = false;
  });
}

} // namespace zklock::detail
