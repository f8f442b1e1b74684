#include "foreign_waiters.hpp"

#include "trace.hpp"

#include <algorithm>

namespace deterministic {

using namespace std::chrono_literals;

// The event of a new entry comes before the answer to the check that proves a later grant. A grant
// needs a proof that is younger than the session timeout. In a calm history nothing keeps the event
// up: a packet takes a millisecond at most, and no server or process is slow.
foreign_waiters::foreign_waiters(const plan& design,
                                 std::function<void(const std::string&)> violated)
    // The event may arrive between two hand-overs that are decided together.
    : allowed_(design.local_handoffs + 1),
      time_to_know_(design.calm && !design.handlers_stall ? 1s : design.longest_timeout + 1s),
      violated_(std::move(violated)) {}

void foreign_waiters::created(std::string_view path, std::int64_t session, std::int64_t transaction,
                              time_point now) {
  lines_[std::string(directory_of(path))].insert_or_assign(std::string(path),
                                                           entry{session, transaction, now});
}

void foreign_waiters::deleted(std::string_view path) {
  const auto found = lines_.find(directory_of(path));
  if (found == lines_.end()) return;
  if (const auto gone = found->second.find(path); gone != found->second.end())
    found->second.erase(gone);
}

// The locks of a session may share a transaction, in which their entries were made together.
void foreign_waiters::granted(std::string_view lock, zklock::fencing_token token, time_point now) {
  const auto found = lines_.find(lock);
  if (token.turn() == 0 || found == lines_.end()) return;
  const auto own = std::ranges::find_if(found->second, [&](const auto& each) {
    return each.second.transaction == token.transaction();
  });
  if (own == found->second.end()) return;
  auto& [path, held] = *own;
  const bool is_foreign_known = std::ranges::any_of(found->second, [&](const auto& each) {
    return each.second.session != held.session && each.second.since + time_to_know_ < now;
  });
  held.handoffs = is_foreign_known ? held.handoffs + 1 : 0;
  if (held.handoffs > allowed_)
    violated_(text(path, " is handed over ", held.handoffs,
                   " times while another client waits for longer than ", seconds(time_to_know_),
                   " s"));
}

} // namespace deterministic
