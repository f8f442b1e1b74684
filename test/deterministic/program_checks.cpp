// How the operations of a program may end.

#include "program.hpp"

#include <chrono>
#include <limits>

namespace deterministic {

using zklock::errc;

namespace {

constexpr auto forever = std::chrono::nanoseconds::max();

} // namespace

// A client ends where all servers have said that they are of no use to it.
bool program::has_failed(const zklock::error_code& error) const noexcept {
  const auto& design = world_.design;
  if (error == errc::authentication_failed)
    return design.servers_misanswer || design.servers_demand_authentication;
  return error == errc::server_too_old && design.servers_misanswer;
}

// A server may close a connection before the first byte of its TLS.
bool program::is_unreachable(const zklock::error_code& error) const noexcept {
  return error == errc::not_connected || error == errc::not_zookeeper ||
         (error == errc::tls_failed && world_.fixed.speaks_tls);
}

void program::surprised(const std::string& where, const zklock::error_code& error) {
  if (has_failed(error)) return;
  world_.violated(text(name_, ": ", where, " fails with \"", error.message(), '"'));
}

std::int64_t program::most_permits() const {
  if (!world_.design.narrow) return std::numeric_limits<std::int64_t>::max();
  constexpr std::size_t most_of_a_name = 80;
  const auto one = (world_.design.root + "/locks/permits" + world_.design.name_end).size();
  return static_cast<std::int64_t>(plan::narrow_room / (one + most_of_a_name));
}

bool program::is_refused(const zklock::error_code& error) {
  const auto& design = world_.design;
  const bool refused =
      (error == errc::refused && (design.servers_refuse || design.servers_misanswer)) ||
      (design.servers_misanswer &&
       (error == errc::no_permission || error == errc::not_a_directory ||
        error == errc::node_exists || error == errc::bad_version || error == errc::not_empty));
  if (refused) world_.statistics.count(seen::refused);
  return refused;
}

void program::check(const zklock::error_code& error, const attempt& what) {
  if (!error || is_refused(error)) return;
  if (error == errc::closed && host_.was_closed(client_, what.named.value_or(what.use.asked)))
    return;
  if (error == errc::sequence_exhausted && world_.design.first_number != 0)
    return world_.statistics.count(seen::numbers_exhausted);
  if (error == errc::budget_exhausted) {
    world_.statistics.count(seen::room_exhausted);
    if (what.use.permits > most_permits()) return;
  }
  if (error == errc::no_permission && host_.is_stranger())
    return world_.statistics.count(seen::denied);
  // If there is little room, the acquire may wait for the room of acquires without an answer yet.
  if (error == errc::timed_out && host_.is_stranger() && !world_.design.narrow)
    surprised("an acquire of others", error);
  if (error == errc::no_chroot && host_.has_chroot(client_) &&
      (!world_.root_since || *world_.root_since > what.use.asked))
    return world_.statistics.count(seen::no_chroot);
  if (error == errc::busy) world_.statistics.count(seen::busy);
  if (error == errc::timed_out) world_.statistics.count(seen::timed_out);
  if (error == errc::not_connected) world_.statistics.count(seen::not_connected);
  if (error == asio::error::operation_aborted) {
    world_.statistics.count(seen::cancelled);
    if (what.cancelled_after) return;
  }
  const bool is_late = error == errc::timed_out || is_unreachable(error) ||
                       error == errc::session_timeout_too_short;
  const auto took = world_.clock().now() - what.use.asked;
  if (is_late && what.has_timeout() && took >= what.options.timeout.left()) return;
  if (what.is_try() && (error == errc::busy || error == errc::budget_exhausted)) return;
  if (what.options.owner && (error == errc::owner_busy || error == errc::upgrade_refused)) return;
  if (what.use.role == zklock::participant_role::permit &&
      (error == errc::bad_limit || error == errc::bad_permits))
    return;
  surprised("acquire of " + what.use.path, error);
}

void program::check_lost(const zklock::error_code& error, const attempt& what) {
  const bool is_lost = error == errc::in_doubt || error == errc::session_expired ||
                       error == errc::data_rolled_back || error == errc::entry_deleted ||
                       error == errc::hold_limit_reached;
  if (!is_lost) return check(error, what);
  world_.statistics.count(seen::body_cancelled);
  if (error == errc::hold_limit_reached && what.options.hold_limit == forever)
    surprised("a body without a limit", error);
}

void program::check_looked(const zklock::error_code& error, bool is_cancelled) {
  world_.statistics.count(seen::looked);
  if (!error || error == errc::closed || is_unreachable(error) || is_refused(error)) return;
  if (error == errc::no_permission && host_.is_stranger())
    return world_.statistics.count(seen::denied_to_look);
  if (error == asio::error::operation_aborted && is_cancelled) return;
  surprised("looking", error);
}

void program::check_hidden(bool seen_some) {
  if (seen_some && host_.is_stranger() && world_.design.access == plan::access_kind::closed)
    world_.violated(text(name_, " has seen what an access list hides"));
}

} // namespace deterministic
