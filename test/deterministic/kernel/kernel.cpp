#include "deterministic/kernel/kernel.hpp"

#include "deterministic/kernel/held_mutexes.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <utility>

namespace deterministic {

namespace {

constinit kernel* the_kernel = nullptr;

} // namespace

kernel* kernel::installed() noexcept {
  return the_kernel;
}

kernel::kernel(kernel_options options)
    : options_(std::move(options)), dice_(options_.seed), names_(*this), network_(*this) {
  if (the_kernel) throw std::logic_error("there is a kernel already");
  the_kernel = this;
}

kernel::~kernel() {
  while (!processes_.empty())
    end(*processes_.back());
  the_kernel = nullptr;
}

process& kernel::start(std::string name) {
  trace([&] { return name + " starts"; });
  return *processes_.emplace_back(std::make_unique<process>(*this, std::move(name)));
}

void kernel::end(process& which) {
  trace([&] { return which.name() + " ends"; });
  which.go_on();
  which.end_contexts();
  block_until([&] { return !threads_.any_of(which); });
  if (const auto left = files_.close_all_of(which))
    add_fault(which.name() + " leaves " + std::to_string(left) + " descriptors open");
  std::erase_if(processes_, [&](const auto& each) { return each.get() == &which; });
}

bool kernel::run_until(time_point end, const std::function<bool()>& over) {
  while (!over()) {
    if (clock_.fire() || run_something()) continue;
    if (clock_.next() == clock::never && end == clock::never)
      throw std::logic_error("nothing can happen any more");
    if (clock_.next() > end) {
      clock_.advance(end);
      return over();
    }
    clock_.advance(clock_.next());
  }
  return true;
}

void kernel::block_until(const std::function<bool()>& over) {
  if (threads_.current()) {
    while (!over())
      threads_.block();
    return;
  }
  process* const blocked = current_;
  // Its posted handlers are not kept waiting.
  if (blocked) blocked->wake_loops();
  const bool was_running = blocked && std::exchange(blocked->running_, true);
  const bool was_blocked = blocked && std::exchange(blocked->blocked_, true);
  current_ = nullptr;
  run_until(clock::never, [&] {
    if (options_.look) options_.look();
    return over();
  });
  current_ = blocked;
  if (!blocked) return;
  blocked->running_ = was_running;
  blocked->blocked_ = was_blocked;
  blocked->went_on_ = clock_.now();
}

void kernel::stall(time_point duration) {
  const auto end = clock_.now() + duration;
  if (threads_.current()) return threads_.stall_until(clock_, end);
  clock_.at(end, [] {});
  block_until([this, end] { return clock_.now() >= end; });
}

void kernel::checkpoint() {
  clock_.advance(clock_.now() + time_point{dice_.below(
                                    static_cast<std::size_t>(options_.clock_reading.count()) + 1)});
  digest_.add(static_cast<std::uint64_t>(clock_.now().count()));
  if (!current_ || !current_->is_paused()) return;
  if (threads_.current()) {
    const auto until = current_->paused_until();
    threads_.sleep_until(clock_, until);
  } else if (held_mutexes == 0) {
    // Other processes would wait for a mutex of the real process.
    process& paused = *current_;
    block_until([&paused] { return !paused.is_paused(); });
  }
}

bool kernel::run_something() {
  const auto count = processes_.size() + 1;
  const auto first = dice_.below(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto which = (first + i) % count;
    if (which == processes_.size()) {
      if (threads_.run_one()) return true;
    } else if (process& one = *processes_[which]; one.can_run()) {
      one.run(1 + dice_.below(8));
      clock_.advance(clock_.now() +
                     time_point{dice_.below(static_cast<std::size_t>(options_.turn.count()) + 1)});
      return true;
    }
  }
  return false;
}

void kernel::add_fault(std::string text) {
  trace([&] { return "FAULT: " + text; });
  faults_.push_back(std::move(text));
}

void kernel::tell(const std::string& text) const {
  char time[32];
  std::snprintf(time, sizeof time, "%14.6f ", std::chrono::duration<double>(clock_.now()).count());
  options_.trace(time + text);
}

} // namespace deterministic
