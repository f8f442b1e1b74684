#include "deterministic/kernel/stream.hpp"

#include "deterministic/kernel/kernel.hpp"

#include <algorithm>
#include <utility>

namespace deterministic {

namespace {

// Bytes that were lost are sent again after a time that doubles while the link is cut.
constexpr std::chrono::seconds longest_retransmission{60};

} // namespace

stream::stream(kernel& of, const link_direction& link, sink& to)
    : kernel_(of), link_(link), sink_(to) {}

stream::~stream() {
  abort();
}

void stream::write(std::string_view bytes) {
  if (finished_ || aborted_) return;
  bytes_.append(bytes);
  unacknowledged_ += bytes.size();
  for (auto left = bytes.size(); left != 0;) {
    // Now and then bytes arrive in pieces.
    auto& dice = kernel_.dice();
    const auto size = dice.chance(10) ? 1 + dice.below(left) : left;
    left -= size;
    add_segment(size);
  }
}

void stream::finish() {
  if (finished_ || aborted_) return;
  finished_ = true;
  add_segment(0);
}

void stream::abort() noexcept {
  aborted_ = true;
  kernel_.time().cancel(std::exchange(timer_, clock::none));
  segments_.clear();
}

time_point stream::delay() {
  const auto spread = static_cast<std::size_t>((link_.most_delay - link_.least_delay).count());
  const auto usual = link_.least_delay + time_point{kernel_.dice().below(spread + 1)};
  return kernel_.dice().chance(1) ? 10 * usual : usual;
}

void stream::add_segment(std::size_t size) {
  last_due_ = std::max(last_due_, kernel_.time().now() + delay());
  segments_.push_back({last_due_, size});
  arm();
}

void stream::arm() {
  if (timer_ != clock::none || segments_.empty() || stopped_) return;
  timer_ = kernel_.time().at(segments_.front().due, [this] {
    timer_ = clock::none;
    arrive();
  });
}

void stream::arrive() {
  if (link_.cut) {
    stopped_ = kernel_.time().now();
    return;
  }
  while (!segments_.empty() && segments_.front().due <= kernel_.time().now()) {
    const auto size = segments_.front().size;
    segments_.pop_front();
    if (size == 0) return sink_.on_end(*this);
    if (!deliver(size)) return;
  }
  arm();
}

bool stream::deliver(std::size_t size) {
  const bool breaks = break_in_ && *break_in_ <= size;
  if (breaks) size = *break_in_;
  if (break_in_) *break_in_ -= size;
  const auto arrived = std::string_view(bytes_).substr(begin_, size);
  last_acknowledgement_ = std::max(last_acknowledgement_, kernel_.time().now() + delay());
  acknowledged_.push_back({last_acknowledgement_, size});
  begin_ += size;
  if (!arrived.empty()) sink_.on_arrived(*this, arrived);
  if (begin_ == bytes_.size()) {
    bytes_.clear();
    begin_ = 0;
  }
  if (breaks && !aborted_) sink_.on_broken();
  return !aborted_;
}

std::size_t stream::unacknowledged() {
  while (!acknowledged_.empty() && acknowledged_.front().due <= kernel_.time().now()) {
    unacknowledged_ -= acknowledged_.front().size;
    acknowledged_.pop_front();
  }
  return unacknowledged_;
}

void stream::break_after(std::size_t bytes) {
  break_in_ = bytes;
}

void stream::resume() {
  if (!stopped_ || link_.cut) return;
  const auto now = kernel_.time().now();
  const auto cut = std::min<time_point>(now - *stopped_, longest_retransmission);
  stopped_.reset();
  const auto due =
      now + time_point{kernel_.dice().below(static_cast<std::size_t>(cut.count()) + 1)};
  for (auto& each : segments_)
    each.due = std::max(each.due, due);
  last_due_ = std::max(last_due_, due);
  arm();
}

} // namespace deterministic
