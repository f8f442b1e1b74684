#include "deterministic/kernel/threads.hpp"

#include "deterministic/kernel/process.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

namespace deterministic {

namespace {

void wait_for(sem_t& turn) {
  while (::sem_wait(&turn) != 0 && errno == EINTR) {}
}

} // namespace

thread::thread(process* owner) noexcept : owner_(owner) {
  ::sem_init(&turn_, 0, 0);
}

thread::~thread() {
  ::sem_destroy(&turn_);
}

// The system chooses a processor for a thread that wakes: one without work, if there is one. Where
// a processor cannot be chosen, as in some containers, the histories only take longer.
single_processor::single_processor() noexcept {
  if (::sched_getaffinity(0, sizeof before_, &before_) != 0) return;
  std::this_thread::sleep_for(std::chrono::nanoseconds(1));
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(std::max(::sched_getcpu(), 0)), &one);
  ::sched_setaffinity(0, sizeof one, &one);
}

single_processor::~single_processor() {
  ::sched_setaffinity(0, sizeof before_, &before_);
}

threads::threads() {
  ::sem_init(&main_turn_, 0, 0);
}

threads::~threads() {
  ::sem_destroy(&main_turn_);
}

std::shared_ptr<thread> threads::add(process* owner) {
  return all_.emplace_back(std::make_shared<thread>(owner));
}

void threads::enter(thread& which) {
  wait_for(which.turn_);
}

void threads::leave(thread& which) {
  which.finished_ = true;
  ::sem_post(&main_turn_);
}

std::shared_ptr<thread> threads::find(pthread_t id) const {
  for (const auto& each : all_)
    if (::pthread_equal(each->id_, id)) return each;
  return nullptr;
}

bool threads::any_of(const process& owner) const noexcept {
  return std::any_of(all_.begin(), all_.end(),
                     [&owner](const auto& each) { return each->owner() == &owner; });
}

bool threads::run_one() {
  for (std::size_t i = 0; i < all_.size(); ++i)
    if (run(*all_[i])) return true;
  return false;
}

bool threads::run(thread& which) {
  if (!which.ready_ || which.finished_) return false;
  if (which.owner_ && which.owner_->is_paused()) return false;
  const auto turn = [&] {
    thread* const before = std::exchange(current_, &which);
    ::sem_post(&which.turn_);
    wait_for(main_turn_);
    current_ = before;
  };
  if (which.owner_ && which.wakes_by_itself_)
    which.owner_->call_quietly(turn);
  else if (which.owner_)
    which.owner_->call(turn);
  else
    turn();
  if (which.finished_) std::erase_if(all_, [&](const auto& each) { return each.get() == &which; });
  return true;
}

void threads::block() {
  current_->ready_ = false;
  yield();
}

void threads::yield() {
  thread& self = *current_;
  ::sem_post(&main_turn_);
  wait_for(self.turn_);
}

// Effects of its last turn are not kept waiting.
void threads::stall_until(clock& time, time_point when) {
  thread& self = *current_;
  if (self.owner_) self.owner_->wake();
  self.stalled_ = true;
  sleep_until(time, when);
  self.stalled_ = false;
  self.went_on_ = time.now();
}

void threads::sleep_until(clock& time, time_point when) {
  thread& self = *current_;
  const auto timer = time.at(when, [&self] { self.wake(); });
  while (time.now() < when)
    block();
  time.cancel(timer);
}

void threads::wait(const void* condition, pthread_mutex_t* mutex) {
  thread& self = *current_;
  self.awaited_ = condition;
  ::pthread_mutex_unlock(mutex);
  while (self.awaited_)
    block();
  ::pthread_mutex_lock(mutex);
}

void threads::signal(const void* condition, bool all) noexcept {
  for (const auto& each : all_) {
    if (each->awaited_ != condition) continue;
    each->awaited_ = nullptr;
    each->wake();
    if (!all) return;
  }
}

} // namespace deterministic
