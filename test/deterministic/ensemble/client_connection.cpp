#include "client_connection.hpp"

#include <utility>

namespace deterministic::servers {

void client_connection::send(std::string frame) {
  if (is_closed()) return;
  const auto after = garbage.spoil(frame);
  is_blameless &= garbage.is_off();
  if (!frame.empty()) end->send(frame);
  if (after == garbler::then::close) close();
}

void client_connection::answered(time_point at) noexcept {
  is_blameless &= !is_late(at);
  ++replies;
  if (!asked.empty()) asked.pop_front();
}

void client_connection::close() {
  if (is_closed()) return;
  now = state::closed;
  end->close();
}

void client_connection::reset() {
  if (std::exchange(now, state::closed) != state::closed) end->reset();
}

} // namespace deterministic::servers
