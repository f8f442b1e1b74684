#include "client/session_checks.hpp"

#include <utility>

namespace zklock::detail {

// How many replies of a round make the session proven, or provable by the next write.
constexpr int answers_a_round = 2;

enum : int { check_nodes, list_of_permits, confirm, touch };

session_checks::session_checks(client_core& core, client_session& session, lock_lines& lines)
    : core_(core),
      session_(session),
      lines_(lines),
      timing_(core.options().check_interval, core.options().server_tick),
      connection_check_(session, lines.locks()),
      nodes_(session, lines.locks(), timing_),
      timer_(core) {}

void session_checks::start(bool resumed) {
  if (resumed && in_use())
    check();
  else
    wait();
}

void session_checks::wait() {
  timer_.call_at(client_timer::clock::now() + timing_.interval(session_.timeout()), [this] {
    if (session_.connected()) check();
  });
}

// A client that uses locks keeps its session proven by two writes in sequence. A client that uses
// no lock sends two reads, which a single server answers. The write of a later acquire then proves
// that the reads touched the session, so the lock costs a further round trip instead of a tick.
void session_checks::check() {
  wait();
  connection_check_.repeat();
  lines_.locks().put_away_unused();
  if (std::exchange(in_round_, true)) return;
  answered_ = 0;
  if (!in_use()) {
    requester().set_only_read(true);
    return read();
  }
  nodes_.collect();
  write();
}

bool session_checks::in_use() const noexcept {
  return lines_.locks().requester().has_created_lately() || lines_.locks().in_use();
}

void session_checks::write() {
  if (const auto next = nodes_.next(); !next.empty()) {
    session_.get().send(zookeeper::check{.paths = next}, *this, {check_nodes, next.size()});
  } else if (const auto* const unlisted = nodes_.directory()) {
    session_.get().send(zookeeper::list{.path = *unlisted}, *this, {list_of_permits});
  } else if (answered_ < answers_a_round) {
    session_.get().send(zookeeper::confirm{}, *this, {confirm});
  } else {
    in_round_ = false;
    requester().set_only_read(false);
  }
}

void session_checks::read() {
  if (answered_++ < answers_a_round)
    session_.get().send(zookeeper::exists{.path = core_.chroot().empty() ? "/" : core_.chroot()},
                        *this, {touch});
  else
    in_round_ = false;
}

void session_checks::on_reply(zookeeper::request_tag tag, const zookeeper::reply& reply) noexcept {
  session_.refresh();
  lines_.look_again();
  switch (tag.what) {
  case check_nodes:
    answered_ += zookeeper::is_committed(reply);
    return nodes_checked(tag.which, reply);
  case list_of_permits:
    nodes_.listed(reply);
    return write();
  case confirm:
    if (!zookeeper::is_committed(reply)) return end_in_vain();
    ++answered_;
    return write();
  default:
    return read();
  }
}

// The servers refuse writes: nothing is sent again before the next check.
void session_checks::end_in_vain() noexcept {
  in_round_ = false;
  nodes_.clear();
}

// The nodes behind a missing node are checked again.
void session_checks::nodes_checked(std::size_t count, const zookeeper::reply& reply) {
  if (reply.is_refused_whole && reply.result == zookeeper::status::failed) return end_in_vain();
  const auto last = nodes_.take(count, reply);
  write();
  if (reply.result == zookeeper::status::no_node) nodes_.missing(last);
}

void session_checks::stop() noexcept {
  end_in_vain();
  timer_.cancel();
  requester().stop();
}

} // namespace zklock::detail
