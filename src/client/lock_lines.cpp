#include "client/lock_lines.hpp"

#include "client/identity_write.hpp"
#include "client/lock_line.hpp"

#include <chrono>
#include <utility>

namespace zklock::detail {

// How long a delete that was refused waits: often enough for the waiters of a lock, and no burden
// for throttled servers.
constexpr std::chrono::milliseconds pause{500};

lock_lines::lock_lines(client_core& core, client_session& session, client_counters& counters,
                       open_queries& queries)
    : lock_surroundings(core, session, counters.unlabelled()),
      queries_(queries),
      deadlines_(core, [this](const auto& lock) { deadlines_passed(lock); }),
      locks_(core, session, counters, *this),
      cached_(core),
      again_timer_(core) {}

void lock_lines::look(const std::shared_ptr<const lock_definition>& lock) {
  lock_line& line = *lock->acquisitions;
  if (const auto why = session().why_over()) return refuse_all(line, *why);
  if (lock_in_use* const used = locks_.use(lock)) {
    const bool is_in_doubt = used->look();
    deadlines_.watch(used->watch());
    if (is_in_doubt) look_again_at(lock);
  } else if (clear_way(*lock)) {
    look_again_at(lock);
  } else {
    refuse_all(line, errc::lock_type_mismatch);
  }
}

// Evicts the entries of a lock that is in the way, if they are only cached. Returns whether the way
// will be clear: `settled` is called then.
bool lock_lines::clear_way(const lock_definition& lock) {
  lock_in_use* const other = locks_.table().find_conflict(lock);
  if (!core().options().lock_cache || !other) return false;
  if (!other->acquisitions().empty()) return false;
  if (other->driver().state().cached() != 0) other->driver().evict();
  return true;
}

void lock_lines::refuse_all(lock_line& line, error_code why) {
  // The look returns tries, and the line the acquisitions that wait.
  for (const auto& some : {line.look(), line.waiting()})
    for (const auto& c : some)
      if (line.take_out(*c)) static_cast<acquisition&>(*c).refuse(why);
}

void lock_lines::look_again_at(const std::shared_ptr<const lock_definition>& lock) {
  deadlines_.watch(again_.try_emplace(lock, lock).first->second);
}

// Posted, since it is called inside events of locks. A look for which nothing has changed makes no
// event: two such locks, or a lock that waits for room, would be looked at again and again until a
// reply comes.
void lock_lines::look_again() {
  if (again_.empty() || std::exchange(looking_again_, true)) return;
  core().post([this] {
    looking_again_ = false;
    for (const auto& [lock, watch] : std::exchange(again_, {}))
      look(lock);
  });
}

// Another thread may grant the acquisition until it has left the line.
void lock_lines::give_up(acquisition& c, error_code why) {
  const auto gone = c.path()->acquisitions->take_out(c, true);
  if (gone) end_waiting(c, why);
}

// The acquisition has left the line.
void lock_lines::end_waiting(acquisition& c, error_code why) {
  c.refuse(why);
  if (lock_in_use* const used = locks_.find(c)) used->withdraw(c);
}

void lock_lines::on_left(const acquisition& c, queue::reason why) noexcept {
  if (owner_of(c) == 0 && why == queue::reason::none) return;
  lock_in_use* const used = locks_.find(c);
  if (!used) return;
  used->log_refusal(c, why);
  if (owner_of(c) != 0) used->owners().forget(c);
}

void lock_lines::on_misnamed(acquisition& c) {
  write_identity(queries_, c, c.wanted().identity, nullptr);
}

void lock_lines::entry_unused(lock_in_use& in) {
  cached_.count(in);
  cached_.counter().note_unused();
}

void lock_lines::settled(lock_in_use& used) {
  look_again();
  if (used.driver().state().has_refused()) try_again_later();
  cached_.update(used);
  locks_.settle(used);
}

void lock_lines::watch_deadlines(const std::shared_ptr<const lock_definition>& lock) {
  lock_in_use* const used = locks_.table().find(lock->line);
  if (used && used->driver().lock() == lock) deadlines_.watch(used->watch());
  if (const auto it = again_.find(lock); it != again_.end()) deadlines_.watch(it->second);
}

void lock_lines::deadlines_passed(const std::shared_ptr<const lock_definition>& lock) {
  const auto take = [&] { return lock->acquisitions->take_due(std::chrono::steady_clock::now()); };
  for (auto due = take(); due.of; due = take()) {
    auto& c = static_cast<acquisition&>(*due.of);
    due.holds ? hold_limit_passed(c) : end_waiting(c, out_of_time(c));
  }
  watch_deadlines(lock);
}

// Another thread may have released the hold meanwhile.
void lock_lines::hold_limit_passed(acquisition& c) {
  if (c.current() != acquisition::phase::held) return;
  c.lose(errc::hold_limit_reached);
  if (lock_in_use* const used = locks_.find(c)) used->release(c);
}

// A connection alone proves nothing: the server may never have answered.
error_code lock_lines::out_of_time(const acquisition& c) const noexcept {
  if (!session().connected()) return session().get().connect_error();
  const lock_in_use* const used = c.trying ? nullptr : locks_.find(c);
  return used && used->in_line(c) ? errc::timed_out : errc::not_connected;
}

void lock_lines::try_again_later() {
  if (std::exchange(trying_again_, true)) return;
  again_timer_.call_at(client_timer::clock::now() + pause, [this] {
    trying_again_ = false;
    try_again();
  });
}

// A lock with a node to delete is in use: it is not forgotten while the loop tries further locks.
void lock_lines::try_again() {
  std::vector<lock_in_use*> concerned;
  for (const auto& [line, used] : locks_.table())
    if (used->driver().state().has_refused()) concerned.push_back(used.get());
  for (lock_in_use* const used : concerned)
    used->driver().try_again();
}

std::vector<std::shared_ptr<acquisition>> lock_lines::end_all(errc why) {
  std::vector<std::shared_ptr<acquisition>> open;
  for (const auto& [line, used] : locks_.table())
    for (auto& c : used->take_all())
      open.push_back(std::move(c));
  for (const auto& c : open) {
    if (c->current() == acquisition::phase::waiting) c->refuse(why);
    if (c->current() == acquisition::phase::held) c->lose(why);
  }
  for (const auto& [lock, watch] : std::exchange(again_, {}))
    refuse_all(*lock->acquisitions, why);
  cached_.end(why);
  locks_.clear();
  deadlines_.stop();
  again_timer_.cancel();
  return open;
}

lock_table lock_lines::abandon() noexcept {
  cached_.abandon();
  return locks_.abandon();
}

} // namespace zklock::detail
