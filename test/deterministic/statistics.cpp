#include "statistics.hpp"

#include <cstdio>

namespace deterministic {

namespace {

constexpr std::array<const char*, static_cast<std::size_t>(seen::count_)> descriptions{
    "grants",
    "grants passed on inside a process",
    "grants of what was kept",
    "holds beside other holders",
    "tries that found the lock taken",
    "acquires that timed out in line",
    "acquires that timed out without a connection",
    "acquires that were cancelled",
    "holds lost to an expired session",
    "holds lost to older data",
    "holds lost to a deletion",
    "holds lost to their limit",
    "holds in doubt",
    "holds that were in doubt and then proven",
    "bodies cancelled before their lock could pass on",
    "bodies on another loop than their client's",
    "bodies that released their lock early",
    "elections",
    "leaders that lost the leadership",
    "several locks held together",
    "first of several locks held",
    "writers that became readers",
    "locks acquired again by their owner",
    "transactions committed under a lock",
    "transactions refused since the lock was lost",
    "transactions with an unknown outcome",
    "limits changed",
    "requests to release that a holder saw",
    "transactions with writes of several requests",
    "such transactions that failed, and were sent again",
    "locks broken",
    "looks at a lock",
    "changes of a holder seen",
    "identities of holds changed",
    "clients closed",
    "clients destroyed while in use",
    "clients destroyed inside one of their callbacks",
    "clients destroyed inside one of their handlers",
    "processes whose context was destroyed",
    "clients and contexts destroyed while an exception unwound",
    "handlers called on a loop after the context of their client was destroyed",
    "deferred operations dropped",
    "deferred operations copied",
    "processes paused",
    "handlers that took long",
    "loops that one of their handlers blocked",
    "machines suspended",
    "reconnections",
    "sessions expired",
    "leaders elected",
    "servers crashed",
    "servers that lost their power",
    "servers that sent garbage",
    "leaders cut off or paused",
    "names not found, or late",
    "servers that refused requests",
    "servers that answered with any error",
    "connections given up for such an error",
    "demands for authentication",
    "clients that failed for good",
    "ensembles that came back with older data",
    "clients that noticed older data by a zxid",
    "clients that noticed older data by a node of before",
    "lists of servers changed while their client ran",
    "sessions that moved since their server was in the list no more",
    "servers that kept nodes of sessions that had ended",
    "servers changed by a client that waited for such a node",
    "acquires that were refused by an overloaded server",
    "sends for which there was no memory",
    "times without sockets",
    "sends of which the buffer took a part or nothing",
    "connections that ended one way",
    "entries deleted by hand",
    "other nodes left in directories",
    "grants to clients with a chroot",
    "acquires below a chroot that was missing",
    "acquires that found the numbers of a directory used up",
    "tries that found no room for an entry",
    "acquires that an access list denied",
    "looks that an access list denied",
    "faults",
};

} // namespace

bool statistics::report() const {
  bool complete = true;
  for (std::size_t i = 0; i < descriptions.size(); ++i) {
    const bool missed = counts_[i] == 0;
    std::printf("%10llu %s%s\n", static_cast<unsigned long long>(counts_[i]), descriptions[i],
                missed ? "  <- never reached" : "");
    complete &= !missed;
  }
  return complete;
}

} // namespace deterministic
