#include "zookeeper/exchange.hpp"

#include "zookeeper/transaction_memory.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace zklock::zookeeper {

namespace {

// Bounds of the memory that is kept for later requests.
constexpr std::size_t most_free = 128;
constexpr std::size_t most_text = 4096;
constexpr std::size_t most_names = 128;

} // namespace

exchange::exchange() = default;

exchange::~exchange() = default;

void exchange::reset() noexcept {
  to = nullptr;
  tag = {};
  label = {};
  xid = 0;
  layout = reply_layout::nothing;
  writes = committed = false;
  parts.clear();
  answer = {};
  text.clear();
  names.clear();
}

bool exchange::is_small() const noexcept {
  return text.capacity() <= most_text && names.capacity() <= most_names &&
         (!transaction || transaction->created.size() <= most_names);
}

exchange& exchanges::add() {
  const bool is_next = awaited_ == in_flight_.end();
  exchange& added = take_free();
  in_flight_.splice(in_flight_.end(), free_, free_.begin());
  if (is_next) awaited_ = std::prev(in_flight_.end());
  return added;
}

void exchanges::withdraw() noexcept {
  const auto newest = std::prev(in_flight_.end());
  if (awaited_ == newest) awaited_ = in_flight_.end();
  free_.splice(free_.begin(), in_flight_, newest);
}

exchange* exchanges::unnumbered() noexcept {
  return in_flight_.empty() || in_flight_.back().xid != 0 ? nullptr : &in_flight_.back();
}

exchange* exchanges::awaited() noexcept {
  return awaited_ == in_flight_.end() ? nullptr : &*awaited_;
}

const exchange* exchanges::find(std::int32_t xid) const noexcept {
  const auto found = std::find_if(std::list<exchange>::const_iterator(awaited_), in_flight_.end(),
                                  [xid](const exchange& each) { return each.xid == xid; });
  return found == in_flight_.end() ? nullptr : &*found;
}

void exchanges::deliver_oldest() noexcept {
  if (!is_accepted()) ++awaited_;
  arrived_.splice(arrived_.end(), in_flight_, in_flight_.begin());
}

void exchanges::drop_oldest() noexcept {
  if (!is_accepted()) ++awaited_;
  free_.splice(free_.begin(), in_flight_, in_flight_.begin());
  trim();
}

exchange& exchanges::add_event() {
  exchange& added = take_free();
  arrived_.splice(arrived_.end(), free_, free_.begin());
  return added;
}

std::list<exchange> exchanges::take_arrived() noexcept {
  return std::exchange(arrived_, {});
}

void exchanges::recycle(std::list<exchange> delivered) noexcept {
  delivered.remove_if([](const exchange& each) { return !each.is_small(); });
  free_.splice(free_.begin(), delivered);
  trim();
}

exchange& exchanges::take_free() {
  if (free_.empty()) free_.emplace_front();
  exchange& taken = free_.front();
  taken.reset();
  return taken;
}

void exchanges::trim() noexcept {
  while (free_.size() > most_free)
    free_.pop_back();
}

} // namespace zklock::zookeeper
