#include "truth.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace deterministic::servers {
namespace {

constexpr std::size_t kept = 20'000;

std::string name(zxid of) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(of));
  return text.data();
}

} // namespace

void truth::committed(const entry& what) {
  // A deposed leader may count the quorum of a transaction that the new leader has committed.
  if (what->id <= database_.last) return check(what->leader, *what);
  recent_.push_back(what);
  if (recent_.size() > kept) recent_.pop_front();
  const auto outcome = database_.apply(*what);
  if (observer_.trace)
    trace("commit " + name(what->id) + " of session " + name(what->what.session.id) +
          (what->expires_session ? ", expired" : "") + ", error " +
          std::to_string(static_cast<int>(outcome.error)));
  if (observer_.committed) observer_.committed(*what, outcome);
}

// Entries that a quorum has logged without the old leader's knowledge are committed now.
void truth::established(int leader, std::int64_t epoch, const transaction_log& log) {
  // A replica that was paused may count acknowledgements from before a newer leader.
  if (first_of(epoch) < database_.last)
    return trace("replica " + std::to_string(leader) + " takes itself for the leader");
  if (log.newest_up_to(database_.last) != database_.last)
    fault("the log of leader " + std::to_string(leader) + " lacks " + name(database_.last));
  if (observer_.trace)
    trace("replica " + std::to_string(leader) + " leads, log up to " + name(log.last()));
  for (const auto& each : log.following(database_.last))
    committed(each);
  if (observer_.leads) observer_.leads(leader);
}

void truth::restore(const database& data) {
  trace("restore " + name(data.last));
  database_ = data;
  recent_.clear();
}

void truth::check(int replica, const transaction& what) const {
  if (!recent_.empty() && what.id < recent_.front()->id) return;
  const auto found =
      std::lower_bound(recent_.begin(), recent_.end(), what.id,
                       [](const entry& left, zxid right) { return left->id < right; });
  if (found == recent_.end() || found->get() != &what)
    fault("replica " + std::to_string(replica) + " applies " + name(what.id) +
          ", which is not committed");
}

} // namespace deterministic::servers
