// The clients' connections, as the servers see them.

#include "server_side.hpp"

#include <algorithm>
#include <utility>

namespace deterministic {

using namespace std::chrono_literals;

namespace {

// A client that has kept a connection for so long, or nearly, begins to wait anew.
constexpr auto stable = 950ms;

// The network, and the steps of the reactor.
constexpr auto network_time = 50ms;

} // namespace

// A client may leave a server because the server or the network has failed, or its own process did
// not go on, but not because of errors in replies. If there is no memory to send, a server shows
// nodes that no other server has, or lists of servers change, other checks judge.
void server_side::left(int replica, std::int64_t session, time_point at) const {
  const auto& design = world_.design;
  if (design.is_memory_scarce || design.has_phantoms || design.lists_change ||
      !world_.attends_session(session, at))
    return;
  world_.violated(text("session 0x", std::hex, session, " leaves server ", replica + 1,
                       ", which has answered all rightly and in time"));
}

void server_side::turned_away(std::int64_t session) {
  auto& of = connections_[session];
  if (std::exchange(of.is_turned_away, true)) return;
  world_.statistics.count(seen::turned_away);
  of.turned_away = world_.clock().now();
  if (of.turned_away - of.connected > stable) of.in_a_row = 0;
  ++of.in_a_row;
}

// A client that is turned away asks the other servers at once, then each after 10 ms, then after
// twice as long each time, up to a third of its session timeout; a half more or less. A name that
// becomes known is tried at once, and so is a server of a new list.
void server_side::connected(std::int64_t session, std::chrono::milliseconds timeout) {
  constexpr int doublings = 8;
  auto& of = connections_[session];
  const auto now = world_.clock().now();
  const auto waited = now - of.turned_away;
  if (!std::exchange(of.is_turned_away, false)) of.in_a_row = 0;
  of.connected = now;
  if (of.in_a_row < doublings + 3 || world_.design.named_servers || world_.design.lists_change)
    return;
  if (!world_.attends_session(session, now)) return;
  const auto usual = std::min<std::chrono::nanoseconds>(10ms * (1 << doublings), timeout / 3);
  if (waited + network_time < usual / 2)
    world_.violated(text("session 0x", std::hex, session, std::dec, " connects ", seconds(waited),
                         " s after it was turned away ", of.in_a_row, " times"));
}

} // namespace deterministic
