#include "session_tracker.hpp"

#include <utility>

namespace deterministic::servers {

session_tracker::~session_tracker() {
  if (armed_for_ != time_point::max()) process_.cancel(timer_);
}

// ExpiryQueue.roundToNextInterval
time_point session_tracker::bucket_of(time_point when) const {
  using std::chrono::milliseconds;
  const auto clock = std::chrono::floor<milliseconds>(when + phase_);
  return (clock / tick_ + 1) * tick_ - phase_;
}

void session_tracker::move(session_id session, entry& of, time_point bucket) {
  if (of.bucket == bucket) return;
  if (const auto old = buckets_.find(of.bucket); old != buckets_.end()) {
    old->second.erase(session);
    if (old->second.empty()) buckets_.erase(old);
  }
  of.bucket = bucket;
  buckets_[bucket].insert(session);
  arm();
}

void session_tracker::track(session_id session, std::int32_t timeout) {
  sessions_.try_emplace(session);
  touch(session, timeout);
}

bool session_tracker::touch(session_id session, std::int32_t timeout) {
  const auto found = sessions_.find(session);
  if (found == sessions_.end() || found->second.closing) return false;
  move(session, found->second, bucket_of(process_.now() + std::chrono::milliseconds(timeout)));
  return true;
}

void session_tracker::set_closing(session_id session) {
  if (const auto found = sessions_.find(session); found != sessions_.end())
    found->second.closing = true;
}

void session_tracker::set_owner(session_id session, owner by) {
  const auto found = sessions_.find(session);
  if (found == sessions_.end() || found->second.closing) return;
  found->second.owned = true;
  found->second.by = by;
}

void session_tracker::remove(session_id session) {
  const auto found = sessions_.find(session);
  if (found == sessions_.end()) return;
  if (const auto bucket = buckets_.find(found->second.bucket); bucket != buckets_.end()) {
    bucket->second.erase(session);
    if (bucket->second.empty()) buckets_.erase(bucket);
  }
  sessions_.erase(found);
}

memory::code session_tracker::check(session_id session, owner by) {
  const auto found = sessions_.find(session);
  if (found == sessions_.end() || found->second.closing) return memory::code::session_expired;
  auto& of = found->second;
  if (!std::exchange(of.owned, true)) of.by = by;
  return of.by == by ? memory::code::ok : memory::code::session_moved;
}

// Touches only move sessions to later buckets, mostly: the timer then fires for an empty bucket.
void session_tracker::arm() {
  if (buckets_.empty() || buckets_.begin()->first >= armed_for_) return;
  if (armed_for_ != time_point::max()) process_.cancel(timer_);
  armed_for_ = buckets_.begin()->first;
  timer_ = process_.at(armed_for_, [this] { expire_due(); });
}

void session_tracker::expire_due() {
  armed_for_ = time_point::max();
  while (!buckets_.empty() && buckets_.begin()->first <= process_.now()) {
    const auto due = std::move(buckets_.begin()->second);
    buckets_.erase(buckets_.begin());
    for (const auto session : due) {
      set_closing(session);
      expire_(session);
    }
  }
  arm();
}

} // namespace deterministic::servers
