#include "cli/run/job.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>

namespace zklock::cli {

void job::signal(int number) const {
  const auto all = all_->descendants();
  // A signal to a group also reaches the processes that it starts at this moment. The group is the
  // command's own as long as it has members, and otherwise may be of other processes.
  const bool by_group =
      std::ranges::any_of(all, [this](const process& each) { return each.group == leader_; });
  if (by_group) ::kill(-leader_, number);
  for (const auto& each : all)
    if (each.group != leader_) ::kill(each.id, number);
}

void job::reap() {
  for (;;) {
    int status = 0;
    const auto id = ::waitpid(-1, &status, WNOHANG);
    has_children_ = id >= 0;
    if (id <= 0) return;
    if (id == leader_) status_ = status;
  }
}

bool job::stopped() const {
  return !status_ && find_process(leader_).state == 'T';
}

bool job::gone() const {
  return status_ && (!has_children_ || all_->descendants().empty());
}

} // namespace zklock::cli
