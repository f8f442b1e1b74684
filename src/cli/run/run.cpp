#include "cli/exit_code.hpp"
#include "cli/failure.hpp"
#include "cli/run/end_timing.hpp"
#include "cli/run/front_process.hpp"
#include "cli/run/holder_process.hpp"
#include "cli/run/inherited_signals.hpp"
#include "cli/run/run_options.hpp"
#include "cli/run/shared_state.hpp"
#include "cli/run/signal_channel.hpp"
#include "cli/subcommand.hpp"
#include "support/unique_descriptor.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

namespace zklock::cli {

namespace {

bool has_terminal() {
  return detail::unique_descriptor(::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)).get() >= 0;
}

} // namespace

// Two processes: the holder process keeps the lock while a shell stops the front process, and the
// front process ends the command in time while the holder process is stopped.
int run(const std::vector<std::string>& arguments) {
  const auto options = parse_run_options(arguments);
  if (!options) return exit_code::success;
  const inherited_signals signals;
  shared_state state;
  auto [channel, channel_of_holder] = make_channel();
  const surroundings where{.front = ::getpid(), .group = has_terminal() ? ::getpgrp() : 0};
  const auto taken = signals.block();
  // The timing and the front process, which end the command, are ready before the command starts.
  const end_timing timing(*options, options->connection.session_timeout);
  std::optional<front_process> front(std::in_place, state, taken, timing.kill_after());
  // The processes of the command become children of this process if the holder process is killed.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t holder = ::fork();
  if (holder < 0)
    throw failure(exit_code::system,
                  std::string("cannot start a process: ") + std::strerror(errno));
  if (holder == 0) {
    channel = detail::unique_descriptor();
    front.reset();
    return holder_process(*options, std::move(channel_of_holder), state, signals, where).run();
  }
  channel_of_holder = detail::unique_descriptor();
  return front->run(holder, std::move(channel));
}

} // namespace zklock::cli
