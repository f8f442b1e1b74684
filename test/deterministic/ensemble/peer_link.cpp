#include "peer_link.hpp"

#include <algorithm>
#include <utility>

namespace deterministic::servers {

peer_link::peer_link(peer_network& network, int one, int other)
    : network_(network),
      one_(one),
      other_(other),
      forth_{.from = one, .to = other},
      back_{.from = other, .to = one} {}

void peer_link::receive(int at, std::function<void(arrived)> handler) {
  received_by(at).handler = std::move(handler);
}

void peer_link::transmit(int from, arrived what) {
  auto& out = sent_by(from);
  if (received_by(from).closed) return;
  auto& loop = network_.loop();
  out.last = std::max(out.last, loop.now() + network_.delay(out.from, out.to));
  loop.at(out.last, [self = shared_from_this(), &out, what = std::move(what)]() mutable {
    self->arrive(out, std::move(what));
  });
}

void peer_link::close(int from) {
  transmit(from, std::nullopt);
  auto& in = received_by(from);
  in.closed = true;
  in.handler = nullptr;
}

void peer_link::arrive(direction& in, arrived what) {
  if (network_.is_cut(in.from, in.to) || !in.lost.empty())
    in.lost.push_back(std::move(what));
  else
    deliver(in, std::move(what));
}

void peer_link::resume(int from) {
  auto& in = sent_by(from);
  if (network_.is_cut(in.from, in.to)) return;
  for (auto& each : std::exchange(in.lost, {}))
    deliver(in, std::move(each));
}

void peer_link::deliver(direction& in, arrived what) {
  network_.at(in.to).run([self = shared_from_this(), &in, what = std::move(what)] {
    if (in.closed || !in.handler) return;
    // The handler may close the link.
    const auto handler = in.handler;
    handler(what);
  });
}

} // namespace deterministic::servers
