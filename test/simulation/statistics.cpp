#include "statistics.hpp"

#include <cstdio>

namespace simulation {

namespace {

struct line {
  const char* name;
  bool must_be_reached = true;
};

constexpr std::array<line, static_cast<std::size_t>(seen::count_)> lines{{
    {"grants"},
    {"grants by a release alone"},
    {"hand-overs of an entry to another acquisition"},
    {"holds of foreign clients"},
    {"tries that found the lock taken"},
    {"given up while waiting"},
    {"given up while disconnected"},
    {"holds lost to an expiry"},
    {"holds lost to a deletion by hand"},
    {"connections lost"},
    {"connections of which requests were carried out after the next connect"},
    {"connections to a deposed leader"},
    {"sessions expired"},
    {"recoveries"},
    {"nodes adopted whose create was not answered"},
    {"nodes deleted whose create was not answered"},
    {"entries in line that no acquisition needed any more"},
    {"deletes sent again"},
    {"writes undone with the part of another lock"},
    {"times that what was refused was tried again"},
    {"orphans deleted", false},
    {"confirmations asked for"},
    {"nodes found missing"},
    {"nodes found missing of entries granted by a local predecessor"},
    {"directories reaped"},
    {"directories reaped after entries of a client that has not heard of that"},
    {"holds by what such a client knew"},
    {"directories made again"},
    {"parents made"},
    {"lists"},
    {"watches"},
    {"events of entries"},
    {"events of directories"},
    {"starved queues fed again"},
    {"entries that made room for others"},
    {"acquisitions refused for their number"},
    {"acquisitions refused for want of permission"},
    {"nodes left behind for want of permission"},
    {"nodes deleted by hand"},
    {"reads of a server that lagged behind"},
    {"unused queues forgotten"},
    {"unused queues remembered"},
    {"requests in a steady state"},
    {"writers that became readers"},
    {"writers that were not let become readers"},
    {"writers released on their way to be readers"},
    {"writers of foreign clients that became readers"},
    {"readers that hold beside others"},
    {"single permits taken"},
    {"several permits taken at once"},
    {"holders of permits beside others"},
    {"lists of permits"},
    {"lists with a watch that tells of other clients"},
    {"grants by a cached entry"},
    {"grants on the fast path"},
    {"waits for an entry on the fast path"},
    {"held entries that were lent while no acquisition waited"},
    {"held entries that were lent while acquisitions waited"},
    {"cached entries evicted on request"},
    {"entries whose release was asked for while they were watched"},
    {"permits adopted whose taking was not answered"},
    {"permits deleted before they were granted"},
    {"orphan permits deleted", false},
    {"permits not taken since the place in line was gone"},
    {"permits not taken since their directory was gone"},
    {"acquisitions refused for wanting more than there are"},
    {"permits of foreign clients"},
    {"permits that foreign clients waited for"},
    {"limits changed"},
    {"several locks held by a caller"},
    {"given up by callers that held some of several locks"},
    {"begun anew by callers of several locks"},
    {"holds of several locks of which one was lost"},
    {"times that room for several locks was waited for"},
    {"grants by a node with the identity of another acquisition"},
    {"holds that got another identity"},
}};
static_assert(lines.back().name != nullptr, "each kind of event has a line");

} // namespace

bool statistics::report() const {
  bool complete = true;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool missed = counts_[i] == 0 && lines[i].must_be_reached;
    std::printf("%10llu %s%s\n", static_cast<unsigned long long>(counts_[i]), lines[i].name,
                missed ? "  <- never reached" : "");
    complete &= !missed;
  }
  return complete;
}

} // namespace simulation
