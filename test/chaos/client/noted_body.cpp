#include "chaos/client/noted_body.hpp"

#include "chaos/client/held.hpp"

namespace chaos {

noted_body::noted_body(scene& here, const zklock::hold& held, std::uint64_t operation,
                       std::chrono::nanoseconds hold_limit)
    : here_(here), held_(held), operation_(operation) {
  note_granted(here, held, operation, hold_limit);
  here.log.write('B', operation, here.elsewhere);
}

noted_body::~noted_body() {
  here_.log.write('R', operation_, held_.valid_until().time_since_epoch().count());
  here_.log.write('D', operation_, 0);
}

} // namespace chaos
