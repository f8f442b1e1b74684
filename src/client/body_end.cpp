#include "client/body_end.hpp"

#include "client/acquisition.hpp"
#include "client/check_timing.hpp"

#include <algorithm>
#include <chrono>

namespace zklock::detail {

// As in `acquisition::state`, the session's validity is read before the phase.
body_end end_of_body(acquisition& own) noexcept {
  using phase = acquisition::phase;
  constexpr auto never = boot_clock::time_point::max();
  constexpr auto at_once = boot_clock::time_point::min();
  const auto until = own.session().proven_until();
  const acquisition& c = own.holder();
  if (own.release().is_marked() || c.current() == phase::ended) return {never, {}};
  if (c.current() == phase::lost) return {at_once, c.why_over()};
  if (c.core().gone()) return {at_once, errc::closed};
  const auto timeout = c.session().timeout();
  body_end first{until == until.min() ? at_once : until - check_timing::margin(timeout),
                 errc::in_doubt};
  const auto* const more = c.more();
  if (!more || more->end == acquisition::time_point::max()) return first;
  const auto margin = std::min<acquisition::time_point::duration>(more->hold_limit, timeout) / 10;
  const auto left = more->end - margin - std::chrono::steady_clock::now();
  if (const auto limit = boot_clock::now() + left; limit < first.time)
    first = {limit, errc::hold_limit_reached};
  return first;
}

} // namespace zklock::detail
