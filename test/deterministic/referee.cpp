#include "referee.hpp"

#include <algorithm>

namespace deterministic {

using zklock::participant_role;
using namespace std::chrono_literals;

namespace {

// A process that goes on after a pause cancels a body soon, not at once.
constexpr auto time_to_cancel = 50ms;

// A handler begins soon after the grant, not at once.
constexpr auto time_to_begin = 10ms;
// Until a client has noticed that the servers have older data: they start, and its session ends.
constexpr auto time_to_notice = 120s;

// The beginnings and ends of the names of entries.
constexpr std::string_view uuid_prefix = "/_c_";
constexpr std::size_t uuid_size = 36;

// The whole path of a node that is no entry of zklock.
std::string_view uuid_of(std::string_view node) {
  const auto begin = node.find(uuid_prefix);
  return begin == node.npos ? node : node.substr(begin + uuid_prefix.size(), uuid_size);
}

} // namespace

referee::watch::watch(referee& by, const zklock::hold& hold, lock_use use, const process& where,
                      bool is_body, const loop* on)
    : by_(by),
      holds_(&by.locks_[use.path].holds),
      position_(holds_->insert(holds_->end(), this)),
      hold_(hold),
      use_(std::move(use)),
      where_(where),
      is_body_(is_body),
      on_(on),
      token_(hold.token()),
      since_(by.clock_->now()) {
  is_broken_ = std::any_of(by.broken_.begin(), by.broken_.end(),
                           [this](const std::string& node) { return is_of(node); });
  for (const auto& [node, time_to_hear] : by.misleading_)
    if (is_of(node)) is_misled_until_ = by.clock_->now() + time_to_hear;
  by_.statistics_.count(seen::grant);
  if (token_.turn() != 0) by_.statistics_.count(seen::grant_in_process);
  by_.check_token(by_.locks_[use_.path], *this);
  by_.check_number(*this);
  by_.check_proof(*this);
  by_.check_node(*this);
}

referee::watch::~watch() {
  holds_->erase(position_);
  if (is_misled() || is_old()) return;
  auto& lock = by_.locks_[use_.path];
  lock.ended = std::max(lock.ended, token_);
  if (use_.role == participant_role::exclusive)
    lock.writers_ended = std::max(lock.writers_ended, token_);
}

void referee::watch::downgraded() {
  use_.role = participant_role::shared;
  by_.statistics_.count(seen::downgraded);
}

// As `hold::owns_lock` would tell in that process.
bool referee::watch::is_valid() const noexcept {
  return hold_.valid_until().time_since_epoch() > where_.boot_time();
}

bool referee::watch::is_old() const noexcept {
  const auto at = by_.rolled_back_at_;
  return at && (since_ <= *at || (by_.clock_->now() < *at + time_to_notice &&
                                  by_.made_(hold_.node()) != token_.transaction()));
}

bool referee::watch::counts() const noexcept {
  if (is_broken_ || is_old() || where_.is_dead()) return false;
  if (is_misled_until_ && by_.clock_->now() < *is_misled_until_) return false;
  return is_valid() || (is_body_ && by_.clock_->now() - time_to_cancel > runs_since());
}

time_point referee::watch::runs_since() const noexcept {
  return on_ ? on_->runs_since() : where_.runs_since();
}

std::string referee::watch::name() const {
  return text(hold_.node(), " with token ", token_, is_body_ ? " (body)" : "");
}

void referee::note_ended(lock_use& asked) {
  const auto& lock = locks_[asked.path];
  asked.asked_after = lock.ended;
  asked.asked_after_writers = lock.writers_ended;
}

void referee::rolled_back() noexcept {
  rolled_back_at_ = clock_->now();
  for (auto& [path, lock] : locks_)
    lock.ended = lock.writers_ended = lock.exclusive = lock.shared = {};
}

void referee::limit_may_be(const std::string& path, std::int64_t limit) {
  auto& highest = locks_[path].limit;
  highest = std::max(highest, limit);
}

// A hold that was granted, and lost before its handler ran, has no order among other holds. Nor has
// a hold whose client may not have heard yet which entries are before it.
void referee::check_token(record& lock, const watch& granted) {
  if (granted.is_broken_ || granted.is_misled()) return;
  if (!granted.is_valid() || granted.is_old() || granted.use_.owner != 0) return;
  const auto token = granted.token_;
  const bool may_be_old = may_keep_readers_ && granted.use_.role == participant_role::shared;
  const bool is_reset = was_rolled_back_since(granted.use_.asked);
  const auto after = is_reset     ? zklock::fencing_token()
                     : may_be_old ? granted.use_.asked_after_writers
                                  : granted.use_.asked_after;
  if (token <= after)
    violated(text("the token of ", granted.name(), " is not above ", after,
                  ", whose hold had ended before it was asked for"));
  const bool alone = granted.use_.role == participant_role::exclusive;
  if (granted.use_.role == participant_role::permit) return;
  if (token <= lock.exclusive || (alone && token <= lock.shared))
    violated(text("the token of ", granted.name(), " is no newer than those before"));
  auto& newest = alone ? lock.exclusive : lock.shared;
  newest = std::max(newest, token);
}

// Beyond the last number of a directory the servers give two nodes an equal number.
void referee::check_number(const watch& granted) const {
  constexpr std::size_t digits = 10;
  const auto node = granted.hold_.node();
  if (node.find("/leases/") != node.npos) return;
  const auto number = node.substr(node.size() - digits);
  if (number > text(plan::last_number))
    violated(text(granted.name(), " is granted by a number that is too high"));
}

// Nothing is granted on a proof that is over, and the handler begins before the end of the proof,
// unless the process was paused in between.
void referee::check_proof(const watch& granted) const {
  if (granted.hold_.state() == zklock::hold_state::lost) return;
  // Its session has ended, and the hold is about to be lost.
  if (granted.hold_.valid_until() == zklock::boot_clock::time_point::min()) return;
  const auto& where = granted.where_;
  const auto decided = granted.hold_.held_since().time_since_epoch();
  // Where the machine was never suspended, both are the moment of the decision.
  const auto latest = decided + (where.boot_time() - where.monotonic_time());
  // The grant passes from the loop of the client to the loop of the body.
  const bool was_paused = std::max(where.runs_since(), granted.runs_since()) >= latest;
  const auto least = was_paused ? decided : clock_->now() - time_to_begin;
  const auto until = granted.hold_.valid_until().time_since_epoch();
  if (until <= least + granted.use_.ahead)
    violated(text(granted.name(), " is granted ", seconds(least + granted.use_.ahead - until),
                  " s after the end of its proof"));
}

// Entries deleted by other sessions count as broken, and entries of an expired session as invalid.
void referee::check_node(const watch& granted) const {
  const auto& hold = granted.hold_;
  if (granted.is_broken_ || granted.is_misled() || granted.is_old() || !granted.is_valid() ||
      hold.state() == zklock::hold_state::lost)
    return;
  if (made_(hold.node()) == 0) violated(text(granted.name(), " is granted, and has no node"));
}

bool referee::is_target(std::string_view node) const {
  const auto acquire = uuid_of(node);
  return std::any_of(targets_.begin(), targets_.end(),
                     [acquire](const std::string& each) { return uuid_of(each) == acquire; });
}

// Permits that are held together, and a writer that becomes a reader, share the UUID in their
// names.
bool referee::watch::is_of(std::string_view node) const {
  const auto own = hold_.node();
  const auto stem = own.substr(0, own.find(uuid_prefix) + uuid_prefix.size() + uuid_size);
  return node.starts_with(stem);
}

void referee::deleted(std::string_view node, bool by_its_own) {
  if (by_its_own && !targets_.contains(node)) return;
  broken_.emplace_back(node);
  for (auto& [path, lock] : locks_)
    for (watch* each : lock.holds)
      if (each->is_of(node)) each->is_broken_ = true;
}

void referee::expired(std::string_view node) {
  for (const auto& [path, lock] : locks_)
    for (const watch* each : lock.holds)
      if (each->hold_.node() == node && each->counts())
        violated(text("the session of ", each->name(), " expired while the hold was valid"));
}

void referee::follow(watch& one) {
  const bool is_lost = one.hold_.state() == zklock::hold_state::lost;
  const auto state = is_lost          ? zklock::hold_state::lost
                     : one.is_valid() ? zklock::hold_state::held
                                      : zklock::hold_state::in_doubt;
  if (state == one.state_) return;
  trace_(one.name(), state == zklock::hold_state::in_doubt ? " is in doubt"
                     : state == zklock::hold_state::lost   ? " is lost"
                                                           : " is proven again");
  if (state == zklock::hold_state::in_doubt) {
    statistics_.count(seen::in_doubt);
    if (!may_doubt_ && clock_->now() <= stall_ends_)
      violated(text(one.name(), " is in doubt without a reason"));
  }
  if (state == zklock::hold_state::held) statistics_.count(seen::proven_again);
  if (one.state_ == zklock::hold_state::lost)
    violated(text(one.name(), " is held again after it was lost"));
  one.state_ = state;
}

void referee::check(const std::string& path, const record& lock) const {
  const watch* alone = nullptr;
  const watch* other = nullptr;
  std::int64_t permits = 0;
  for (const watch* each : lock.holds) {
    if (!each->counts()) continue;
    // An owner that acquires again shares its hold.
    const auto same = [&](const watch* one) {
      return each->use_.owner != 0 && one && one->use_.owner == each->use_.owner;
    };
    if (each->use_.role == participant_role::permit) {
      permits += each->use_.permits;
    } else if (each->use_.role == participant_role::exclusive) {
      if (alone && !same(alone))
        violated(text(alone->name(), " and ", each->name(), " are valid at the same time"));
      alone = each;
    } else {
      other = each;
    }
    if (alone && other && !same(alone == each ? other : alone))
      violated(text(alone->name(), " writes while ", other->name(), " reads"));
  }
  if (permits > lock.limit && permits != 0)
    violated(text(permits, " permits of ", path, " are out, the limit is ", lock.limit));
}

void referee::look() {
  for (const auto& [path, lock] : locks_) {
    for (watch* each : lock.holds)
      follow(*each);
    if (lock.holds.size() < 2) continue;
    statistics_.count(seen::holders_together);
    check(path, lock);
  }
}

bool referee::empty() const noexcept {
  return std::all_of(locks_.begin(), locks_.end(),
                     [](const auto& each) { return each.second.holds.empty(); });
}

} // namespace deterministic
