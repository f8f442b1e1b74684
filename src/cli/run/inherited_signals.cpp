#include "cli/run/inherited_signals.hpp"

namespace zklock::cli {

namespace {

bool is_ignored(int number) {
  struct sigaction present {};
  ::sigaction(number, nullptr, &present);
  return present.sa_handler == SIG_IGN;
}

} // namespace

inherited_signals::inherited_signals() {
  for (std::size_t i = 0; i < passed_on.size(); ++i)
    ignored_[i] = is_ignored(passed_on[i]);
  for (std::size_t i = 0; i < also_changed.size(); ++i)
    also_ignored_[i] = is_ignored(also_changed[i]);
  children_ignored_ = is_ignored(SIGCHLD);
  ::sigprocmask(SIG_SETMASK, nullptr, &mask_);
  // Where it is ignored the end of a child cannot be waited for.
  ::signal(SIGCHLD, SIG_DFL);
  ::signal(SIGPIPE, SIG_IGN);
}

sigset_t inherited_signals::block() const {
  sigset_t taken;
  sigemptyset(&taken);
  sigaddset(&taken, SIGCHLD);
  sigaddset(&taken, SIGCONT);
  for (std::size_t i = 0; i < passed_on.size(); ++i)
    if (!ignored_[i]) sigaddset(&taken, passed_on[i]);
  ::sigprocmask(SIG_BLOCK, &taken, nullptr);
  return taken;
}

void inherited_signals::ignore() const {
  for (const int each : passed_on)
    ::signal(each, SIG_IGN);
  for (const int each : also_changed)
    ::signal(each, SIG_IGN);
  ::sigprocmask(SIG_SETMASK, &mask_, nullptr);
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  ::sigprocmask(SIG_UNBLOCK, &children, nullptr);
}

void inherited_signals::restore() const noexcept {
  for (std::size_t i = 0; i < passed_on.size(); ++i)
    ::signal(passed_on[i], ignored_[i] ? SIG_IGN : SIG_DFL);
  for (std::size_t i = 0; i < also_changed.size(); ++i)
    ::signal(also_changed[i], also_ignored_[i] ? SIG_IGN : SIG_DFL);
  if (children_ignored_) ::signal(SIGCHLD, SIG_IGN);
  ::sigprocmask(SIG_SETMASK, &mask_, nullptr);
}

} // namespace zklock::cli
