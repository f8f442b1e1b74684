# Would the tests notice? Each mutant is a copy of a source of the library with a known fault of a
# driver of the C client.
#
# kernel_mutant(<name> <source of src/zookeeper> <what it says> <what it says instead>): what is made
# of it is up to what includes this list.

kernel_mutant(leaves_a_lost_connection connection.cpp
  "if (!sound) return lose();" "if (!sound) return;")
kernel_mutant(shares_the_descriptor reactor_socket.cpp
  "duplicate{::fcntl(socket, F_DUPFD_CLOEXEC, 0)};" "duplicate{socket};")
kernel_mutant(arms_no_timer connection.cpp
  "  wait_until(as_of + std::max(wanted.delay, milliseconds{1}));
" "")
kernel_mutant(believes_a_failed_send connection.cpp
  "handle_->state() == condition::connected && !handle_->is_send_cut_short()"
  "handle_->state() != condition::connected || !handle_->is_send_cut_short()")
kernel_mutant(keeps_the_rest_of_a_request connection.cpp
  " && !handle_->is_send_cut_short();" ";")
kernel_mutant(sends_no_end_of_the_session closer.cpp
  "confirmed_ = connected_->close_session();" "confirmed_ = true;")
kernel_mutant(closes_without_a_thread closer.cpp
  "  all_threads().start(closing{std::move(connected), std::move(duplicate)});
  return report;"
  "  closing{std::move(connected), std::move(duplicate)}();
  return report;")
kernel_mutant(checks_no_replies checked_input.cpp
  "fault_ = check_.check(frame.substr(frame_length_size));" "")
kernel_mutant(numbers_below_0 xid.cpp
  "xid == last ? 1 : xid + 1" "xid == last ? -1000 : xid + 1")
kernel_mutant(waits_for_a_silent_server connector.cpp
  "steady_clock::now() + attempt_limit()" "steady_clock::now() + std::chrono::hours(1)")
kernel_mutant(resolves_with_each_call handle.cpp
  "  zoo_set_servers_resolution_delay(made, -1);
" "")
# Nodes that a backup brings back later stay, and block their locks.
kernel_mutant(lists_never_again request_sender.cpp
  "  lists_own_from_ = std::chrono::steady_clock::now() + without_list_own_;"
  "  lists_own_from_ = std::chrono::steady_clock::time_point::max();")
