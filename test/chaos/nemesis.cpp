#include "chaos/nemesis.hpp"

#include <algorithm>

namespace chaos {

nemesis::nemesis(cluster& servers, crew& clients, small_disk& disk,
                 const std::array<track, 4>& plan, std::filesystem::path folder)
    : servers_(servers), clients_(clients), disk_(disk), folder_(std::move(folder)) {
  for (const auto& each : plan)
    threads_.emplace_back([this, &each] { run(each); });
}

nemesis::~nemesis() {
  stop();
}

void nemesis::stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  for (auto& each : threads_)
    if (each.joinable()) each.join();
}

std::vector<past_fault> nemesis::faults() const {
  auto all = done_;
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a.when.begin < b.when.begin; });
  return all;
}

// Returns whether the time has come, and the run is not over.
bool nemesis::sleep_until(std::chrono::steady_clock::time_point time) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_until(lock, time, [this] { return stopping_; });
}

// As cluster::settle(), unless the run is over before.
bool nemesis::wait_until_settled() {
  while (!servers_.all_serve())
    if (!sleep_until(std::chrono::steady_clock::now() + std::chrono::milliseconds(100)))
      return false;
  return sleep_until(std::chrono::steady_clock::now() + cluster::writing);
}

void nemesis::run(const track& faults) {
  for (const auto& one : faults) {
    if (!sleep_until(start_ + one.begin)) return;
    if (is_of_servers(one.kind) && !wait_until_settled()) return;
    try {
      carry_out(one);
    } catch (const std::exception& error) {
      std::lock_guard lock(mutex_);
      troubles_.push_back(std::string(name_of(one.kind)) + ": " + error.what());
    }
  }
}

void nemesis::carry_out(const fault& one) {
  past_fault done{.kind = one.kind, .when = {boot_time(), never}};
  const auto wait = [&] {
    static_cast<void>(sleep_until(std::chrono::steady_clock::now() + one.length));
  };
  try {
    if (one.kind == fault_kind::kill_in_turns) {
      kill_in_turns(one, done);
    } else if (is_of_servers(one.kind)) {
      begin_on_servers(one, done);
      wait();
      end_on_servers(one, done);
    } else if (is_of_client(one.kind)) {
      begin_on_client(one, done);
      wait();
      end_on_client(one);
    } else if (one.kind == fault_kind::expire_session) {
      expire_session(one, done);
    } else {
      delete_node(one, done);
    }
  } catch (...) {
    // The fault may have disturbed something all the same.
    done.when.end = boot_time();
    if (done.target.empty()) throw;
    std::lock_guard lock(mutex_);
    done_.push_back(done);
    throw;
  }
  done.when.end = boot_time();
  if (done.target.empty()) return;
  std::lock_guard lock(mutex_);
  done_.push_back(std::move(done));
}

} // namespace chaos
