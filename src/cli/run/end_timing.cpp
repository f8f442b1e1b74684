#include "cli/run/end_timing.hpp"

#include "cli/duration.hpp"
#include "cli/failure.hpp"
#include "cli/run/run_options.hpp"

#include <algorithm>

namespace zklock::cli {

namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// The default of client_options::check_interval.
milliseconds check_interval(milliseconds timeout, milliseconds tick) {
  return std::max(std::min(timeout / 5, (timeout / 10 * 7 - tick) / 2), 1ms);
}

} // namespace

// Just before a confirmation the proven time is a tick and two intervals old:
// doc/internals/validity.md.
milliseconds end_timing::longest_kill_after(milliseconds timeout, milliseconds tick) noexcept {
  const auto certain = timeout - tick - 2 * check_interval(timeout, tick);
  return std::max(certain - 2 * timeout / 10, 0ms);
}

end_timing::end_timing(const run_options& options, milliseconds granted)
    : margin_(granted / 10), margin_of_limit_(std::min(margin_, options.hold_limit / 10)) {
  const nanoseconds longest = longest_kill_after(granted, options.connection.server_tick);
  const auto of_limit = options.hold_limit - margin_of_limit_;
  kill_after_ = options.kill_after.value_or(std::min({nanoseconds(5s), longest / 2, of_limit / 2}));
  if (kill_after_ > longest)
    throw usage_error("invalid --kill-after of " + to_text(kill_after_) +
                      ": a session timeout of " + to_text(granted) + " leaves " + to_text(longest) +
                      " at most");
  if (kill_after_ >= of_limit)
    throw usage_error("invalid --kill-after of " + to_text(kill_after_) +
                      ": must be below the --hold-limit of " + to_text(options.hold_limit));
}

} // namespace zklock::cli
