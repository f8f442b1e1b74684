#include "peer_network.hpp"

#include "peer_link.hpp"

#include <algorithm>
#include <utility>

namespace deterministic::servers {

using namespace std::chrono_literals;

std::shared_ptr<peer_link> peer_network::open(int from, int to) {
  std::erase_if(links_, [](const auto& each) { return each.expired(); });
  auto link = std::make_shared<peer_link>(*this, from, to);
  links_.push_back(link);
  link->receive(to, [this, to, link_ = std::weak_ptr(link)](const peer_link::arrived& first) {
    if (const auto accepted = link_.lock(); accepted && first)
      acceptors_[static_cast<std::size_t>(to)](accepted, *first);
  });
  return link;
}

// Mostly the delay of a local network; now and then a packet is repeated.
time_point peer_network::delay(int from, int to) {
  const auto most = dice_.below(100) < 97 ? 400us : 5000us;
  auto result =
      time_point(60us) + 1ns * dice_.below(static_cast<std::size_t>(time_point(most).count()));
  for (const int each : {from, to})
    if (const auto slow = slow_[static_cast<std::size_t>(each)]; slow > 0ns)
      result += 1ns * dice_.below(static_cast<std::size_t>(slow.count()));
  return result;
}

void peer_network::send_unreliably(int from, int to, std::function<void()> arrive) {
  loop_.at(loop_.now() + delay(from, to), [this, from, to, arrive = std::move(arrive)] {
    if (!is_cut(from, to)) at(to).run(arrive);
  });
}

void peer_network::heal(int from, int to) {
  if (std::exchange(is_cut_[index(from, to)], false)) resume_later(from, to);
}

void peer_network::switch_on(int which) {
  if (!std::exchange(off_[static_cast<std::size_t>(which)], false)) return;
  for (int other = 0; other != replicas; ++other) {
    resume_later(which, other);
    resume_later(other, which);
  }
}

// The packets are repeated when the timer of TCP fires next.
void peer_network::resume_later(int from, int to) {
  for (const auto& each : links_) {
    const auto link = each.lock();
    if (!link || !link->connects(from, to)) continue;
    loop_.at(loop_.now() + 1ns * dice_.between(1'000'000, 400'000'000),
             [link, from] { link->resume(from); });
  }
}

} // namespace deterministic::servers
