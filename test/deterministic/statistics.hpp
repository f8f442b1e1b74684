#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace deterministic {

/// Counts the situations in the histories: a rule that no history exercises is not tested.
enum class seen : std::uint8_t {
  grant,
  grant_in_process,
  grant_of_what_was_kept,
  holders_together,
  busy,
  timed_out,
  not_connected,
  cancelled,
  lost_to_expiry,
  lost_to_older_data,
  lost_to_deletion,
  lost_to_limit,
  in_doubt,
  proven_again,
  body_cancelled,
  body_elsewhere,
  body_released,
  elected,
  deposed,
  several_held,
  one_of_several_held,
  downgraded,
  reentered,
  committed,
  commit_refused,
  commit_unknown,
  limit_changed,
  release_requested,
  combined,
  combined_in_vain,
  broken,
  looked,
  holder_change_seen,
  identity_changed,
  client_closed,
  client_destroyed,
  client_destroyed_in_a_callback,
  client_destroyed_in_a_handler,
  process_destroyed,
  destroyed_while_unwinding,
  handler_after_the_context,
  operation_dropped,
  operation_copied,
  process_paused,
  handler_stalled,
  loop_blocked,
  machine_suspended,
  reconnected,
  session_expired,
  leader_elected,
  server_crashed,
  power_lost,
  garbage_sent,
  leader_cut_off,
  name_spoiled,
  server_overloaded,
  misanswered,
  turned_away,
  authentication_demanded,
  client_failed,
  data_restored,
  data_found_older,
  node_found_again,
  list_changed,
  session_moved,
  nodes_kept,
  server_changed,
  refused,
  sends_failed,
  sockets_failed,
  send_cut_short,
  ended_one_way,
  entry_deleted,
  child_left,
  grant_in_chroot,
  no_chroot,
  numbers_exhausted,
  room_exhausted,
  denied,
  denied_to_look,
  fault,
  count_
};

class statistics {
 public:
  void count(seen what, std::uint64_t times = 1) noexcept {
    counts_[static_cast<std::size_t>(what)] += times;
  }

  void add(const statistics& other) noexcept {
    for (std::size_t i = 0; i < counts_.size(); ++i)
      counts_[i] += other.counts_[i];
  }

  std::uint64_t operator[](seen what) const noexcept {
    return counts_[static_cast<std::size_t>(what)];
  }

  /// Prints all counts. Returns whether every kind of event that must happen did.
  bool report() const;

 private:
  std::array<std::uint64_t, static_cast<std::size_t>(seen::count_)> counts_{};
};

} // namespace deterministic
