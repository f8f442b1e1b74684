# Would the histories notice? Each mutant is the shipped library with one rule broken in one source.

# deterministic_mutant(<name> <source> <what it says> <what it says instead>)
#
# The source is one of src/queue, src/client, src/lock or src/zookeeper. The program is built on
# request.
function(deterministic_mutant name source from to)
  mutant_library(${name} ${source} "${from}" "${to}" ${PROJECT_SOURCE_DIR}/src/queue
    ${PROJECT_SOURCE_DIR}/src/client ${PROJECT_SOURCE_DIR}/src/lock
    ${PROJECT_SOURCE_DIR}/src/zookeeper)
  set(target deterministic_mutant_${name})
  mutant_program(${target} ${name} deterministic_main deterministic_kernel)
  set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
endfunction()

# The faults that matter most are put back with each run of the tests.
function(deterministic_fault name source from to)
  deterministic_mutant(${name} ${source} "${from}" "${to}")
  set(target deterministic_mutant_${name})
  set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL OFF)
  add_test(NAME deterministic.mutant.${name} COMMAND ${target} --expect-failure --histories 3000)
  set_tests_properties(deterministic.mutant.${name} PROPERTIES TIMEOUT 1200)
endfunction()

# Two holders: a hold counts as valid for longer than the servers keep the session.
deterministic_fault(trusts_the_session_for_too_long client_session.cpp
  "session_->valid_until()" "session_->valid_until() + std::chrono::seconds(30)")
# A server that was deposed is believed after a reconnect.
deterministic_fault(believes_a_deposed_leader_again connection_check.cpp
  "zookeeper::confirm{}" "zookeeper::exists{.path = \"/\"}")
# A waiter whose entry was deleted waits for ever, or holds without it, unless its connection is lost
# later.
deterministic_fault(forgets_a_deleted_waiter check_list.cpp
  "driver->missing(gone.entry, gone.form);" "static_cast<void>(driver);")
# Silent loss: nothing is told that the session has expired.
deterministic_fault(loses_in_silence client_impl.cpp
  "  lines_.locks().expired(reason_of(why));
" "  static_cast<void>(reason_of(why));
")

# A program that holds a mutex around its calls locks itself out.
deterministic_fault(calls_the_program_inside_its_calls strand.cpp
  "return running && running->alone;" "return false;")
# The handler of a close is not called.
deterministic_fault(forgets_the_close_of_a_client_that_goes client_impl.cpp
  "const auto needed = op ? core_.client().lock() : nullptr;"
  "const std::shared_ptr<void> needed;")

# Faults that only clients by TLS have, and the history with which their tests begin.
function(deterministic_tls_fault name first source from to)
  deterministic_mutant(${name} ${source} "${from}" "${to}")
  set(target deterministic_mutant_${name})
  set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL OFF)
  add_test(NAME deterministic.mutant.${name}
    COMMAND ${target} --tls --expect-failure --first ${first} --histories 300)
  set_tests_properties(deterministic.mutant.${name} PROPERTIES TIMEOUT 300)
endfunction()

# Bytes that TLS has read, and that no event of the socket announces, wait for the next event.
deterministic_tls_fault(forgets_bytes_of_tls 1 checked_input.cpp
  "    has_unread_ = reads == reads_at_once;
    if (has_unread_ || !fill(socket)) break;"
  "    if (reads == reads_at_once || !fill(socket)) break;")
# A thread that closes a session occupies a processor for seconds where the connection is lost.
deterministic_tls_fault(polls_a_lost_connection 4800 wire.cpp
  "(descriptors->revents & (POLLERR | POLLHUP)) == 0" "true")

# The program is called, and its handlers are forgotten, in other places.
deterministic_mutant(runs_others_inside_a_call strand.cpp
  "frame_.alone ? 0 : at_a_time" "at_a_time")
deterministic_mutant(completes_inside_a_call strand.cpp
  "!now->is_of_reactor || " "")
deterministic_mutant(observes_inside_a_call observation.cpp
  "core_->call_program(" "call_user(core_->executor(), ")
deterministic_mutant(asks_for_labels_inside_a_call lock_calls.cpp
  "if (!core_.options().label || !core_.strand().running_alone()) return lines_.look(lock);"
  "return lines_.look(lock);")
deterministic_mutant(tells_the_place_inside_a_call lock_in_use.cpp
  "around_.core().call_program(" "call_user(around_.core().executor(), ")
deterministic_mutant(leaves_operations_of_several_locks client_impl.cpp
  "  core_.dependents().end_all();
" "")
deterministic_mutant(releases_by_each_copy hold.cpp
  "  if (detail::end_if_empty(own.get(), handler)) return;
  auto& client" "  auto& client")

# A reconnect once a second without end: a demand for authentication counts as a lost connection.
deterministic_fault(takes_a_demand_for_a_loss reply_check.cpp
  "  return {kind::authentication_required, \"it demands other credentials: \" + error_text(error)};"
  "  return {kind::broken, \"it demands other credentials: \" + error_text(error)};")
# A lost part costs every lock the connection.
deterministic_fault(gives_up_behind_a_failure reply_reader.cpp
  "  if (failed != memory.results.end())
" "  if (failed != memory.results.end()) self.end_.lose(code);
  if (failed != memory.results.end())
")

# Faults that the histories have found.
deterministic_mutant(asks_a_server_that_refuses_once_a_second session_core.cpp
  "  if (turns_away(how)) connector_.turned_away();
" "")
# The program is stopped between its last read and its look at the clock: what has arrived meanwhile
# is not read, and the server counts as silent.
deterministic_mutant(looks_at_the_clock_after_the_input connection.cpp
  "  wait_for_events(begun);" "  wait_for_events(steady_clock::now());")
# The delete of a transaction that has failed counts as done.
deterministic_mutant(believes_a_transaction_that_failed reply_reader.cpp
  "return result.err != ZOK;" "return result.err > ZOK;")
deterministic_mutant(believes_a_senseless_refusal server_events.cpp
  "if (may_succeed_later(result)) {"
  "if (result == answer::failed) {")
deterministic_mutant(tells_the_observer_twice client_session.cpp
  "  if (std::exchange(told_state_, now) == now) return;
" "")
deterministic_mutant(hides_why_a_writer_was_lost acquisition.cpp
  "if (current() != phase::held) return why_over();"
  "if (current() != phase::held) return errc::not_a_writer;")

deterministic_mutant(sleeps_with_the_machine boot_timer.cpp
  "auto made = make_timer_descriptor();"
  "unique_descriptor made{::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)};")

# A body on another loop runs on beside the next holder while the loop of its client is blocked.
deterministic_mutant(cancels_on_the_clients_loop with_lock.cpp
  "      : boot_timer(executor),"
  "      : boot_timer(hold_access::own_of(all_of(h).front())->core().executor()),")
deterministic_mutant(distrusts_an_early_release with_lock.cpp
  "const bool relies = held_.state() != hold_state::empty;" "const bool relies = true;")

deterministic_mutant(keeps_room_behind_its_own_permits scheduler.cpp
  "if (&e == line_.own().begin()->second && !permits_.is_any_taken()) break;"
  "if (&e == line_.own().begin()->second) break;")
deterministic_mutant(reserves_no_room multi_lock.cpp
  "if (holds_.size() == 1 || rooms_.size() == clients_.size()) return next();" "return next();")
deterministic_mutant(believes_old_refusals scheduler.cpp
  "for (const auto id : demands_.take_until(newest))"
  "newest = demands_.mark();
  for (const auto id : demands_.take_until(newest))")
deterministic_mutant(waits_for_what_never_fits_together session_room.cpp
  "if (bytes > options.max_path_bytes) {" "if (false) {")

# What is kept for the next use.
deterministic_mutant(keeps_what_is_not_used cached_locks.cpp
  "} else if (!used.is_held_fast()) {" "} else if (false) {")
deterministic_mutant(grants_what_is_kept_unproven acquisition.cpp
  "return session().connected() && session().may_begin_body();" "return session().connected();")
deterministic_mutant(forgets_what_it_did_not_grant line_tickets.cpp
  "if (was.holder) holders_[was.entry] = was.holder;" "")
deterministic_mutant(grants_a_turn_twice lock_line.cpp
  "++open_->by.next.turn;" "")

# The permits are listed again and again, and never taken, where only a server has another child
# with the number of an entry.
deterministic_mutant(waits_for_its_own_number line.cpp
  "foreign_.all().begin()->first >= own().begin()->first"
  "foreign_.all().begin()->first > own().begin()->first")

# Some clients have a chroot, others reach the same locks without it.
deterministic_mutant(forgets_the_chroot lock_definition.cpp
  ".full = std::string(chroot)" ".full = {}")
# A client of another identity is let in by a node that its transaction makes, or is not told why it
# is kept out.
deterministic_mutant(opens_what_a_transaction_makes request_writer.cpp
  "one.path.c_str(), data, size, &access_list_" "one.path.c_str(), data, size, &ZOO_OPEN_ACL_UNSAFE")
deterministic_mutant(mistakes_a_denial reply_reader.cpp
  "    return status::no_permission;" "    return status::failed;")
# A grant whose proof is over, or nearly.
deterministic_mutant(grants_on_what_is_over session_requester.cpp
  "return !only_read_ && session_.may_begin_body();" "return !only_read_;")
deterministic_mutant(grants_on_what_is_nearly_over session_requester.cpp
  "return !only_read_ && session_.may_begin_body();" "return session_.may_begin_body();")
# An election acquires again and again, and its body does not begin.
deterministic_mutant(grants_too_late_for_a_body session_requester.cpp
  "session_.may_begin_body()" "boot_clock::now() < session_.proven_until()")
deterministic_mutant(grants_what_is_kept_too_late_for_a_body acquisition.cpp
  "session().may_begin_body()" "boot_clock::now() < session().proven_until()")
deterministic_mutant(skips_a_check_that_is_late session_checks.cpp
  "  timer_.call_at(client_timer::clock::now() + timing_.interval(session_.timeout()), [this] {
"
  "  const auto due = client_timer::clock::now() + timing_.interval(session_.timeout());
  timer_.call_at(due, [this, due] {
    if (client_timer::clock::now() - due > std::chrono::milliseconds(100)) return wait();
")
deterministic_mutant(counts_from_the_reply session_record.cpp
  "validity_.answered(sent, boot_clock::now(), committed);"
  "if (committed) validity_.connected(boot_clock::now(), sent, timeout_, true);")

# Servers that come back with older data, or with another session.
deterministic_mutant(remembers_no_write session_record.cpp
  "  writes_.saw(newest_write);
" "")
deterministic_mutant(is_locked_out_by_older_data session_core.cpp
  "  if (how == loss::refused) record_.writes().refused();
" "")
deterministic_mutant(leaves_what_a_backup_brings_back connection_check.cpp
  "!locks_.accounts_for(node)" "false")
deterministic_mutant(settles_each_node_of_an_entry reconciler.cpp
  "!e || (recovers && !is_node_of(*e, parsed, shown))" "!e")
deterministic_mutant(gives_permits_up_for_the_replaced_node reconciler.cpp
  " && !e.replaced.is_listed()" "")
deterministic_mutant(forgets_entries_for_a_number_of_a_list server_events.cpp
  "own.empty() || number <= own.rbegin()->first" "true")
deterministic_mutant(counts_nodes_of_an_earlier_directory line.cpp
  "      shown.own.push_back({*parsed, name});
" "      shown.own.push_back({*parsed, name});
      shown.highest = std::max(shown.highest, parsed->number);
")
deterministic_mutant(knows_a_node_that_was_replaced lock_queue.cpp
  "(it->second.replaced.is_open() || it->second.node() == node)"
  "(it->second.replaced.is_open() || it->second.id == id)")
deterministic_mutant(tells_the_end_of_an_unknown_session session_core.cpp
  "  if (!record_.is_known()) return;
" "")
deterministic_mutant(takes_another_session_for_garbage session_core.cpp
  "  record_.established(opened.id(), opened.timeout());
"
  "  if (record_.id() != 0 && opened.id().client_id != record_.id())
    return connector_.open_handle()->reject_server(\"another session\");
  record_.established(opened.id(), opened.timeout());
")
deterministic_mutant(goes_on_with_another_session session_core.cpp
  "  if (record_.has_lost_known()) end_session(errc::session_expired);
  if (is_stopped()) return;
  const bool" "  const bool")

# What is waited for is on one server only.
deterministic_mutant(waits_for_what_one_server_has check_list.cpp
  "if (locks_.requester().watches().is_older(rounds(), watched, by))" "if (false)")
deterministic_mutant(changes_the_server_for_what_is_told check_list.cpp
  "if (locks_.requester().watches().is_older(rounds(), watched, by))" "if (true)")
deterministic_mutant(waits_for_permits_that_one_server_has check_list.cpp
  "if (used->driver().state().lacks_permits() &&" "if (false &&")

# Writes of several requests in one transaction.
deterministic_mutant(forgets_parts_that_failed_together write_combiner.cpp
  "each.to->on_reply(each.tag, one);"
  "if (one.result != status::undone) each.to->on_reply(each.tag, one);")
deterministic_mutant(takes_a_failure_for_a_success write_combiner.cpp
  "answer.result : status::undone;" "answer.result : status::ok;")
deterministic_mutant(creates_one_lock_twice_at_once write_combiner.cpp
  "  if (held_.front().creates_for(to)) flush();
" "")
deterministic_mutant(keeps_held_writes_over_a_lost_connection session_core.cpp
  "  requests_.clear();
  record_.disconnected();" "  record_.disconnected();")
deterministic_mutant(lets_others_overtake_held_writes request_sender.cpp
  "  combiner_.flush_before(to);
" "")

# The mutants of the simulation that are the library's, not its own. A writer that has become a
# reader, and is taken for gone, is a fault that matters.
function(simulation_mutant name source from to)
  if(name STREQUAL takes_writers_for_gone)
    deterministic_fault(${name} ${source} "${from}" "${to}")
  elseif(NOT EXISTS ${PROJECT_SOURCE_DIR}/test/simulation/${source})
    deterministic_mutant(${name} ${source} "${from}" "${to}")
  endif()
endfunction()
include(${PROJECT_SOURCE_DIR}/test/simulation/mutants.cmake)

# The faults of the C client that the tests of the kernel put back.
function(kernel_mutant name source from to)
  deterministic_mutant(${name} ${source} "${from}" "${to}")
endfunction()
include(${CMAKE_CURRENT_SOURCE_DIR}/kernel/test/mutants.cmake)

# More of them.
deterministic_mutant(asks_before_it_reads connection.cpp
  "const bool drained = drain(events);" "const bool drained = events == 0 || drain(events);")
deterministic_mutant(reads_while_it_connects connection.cpp
  "if (!events) return true;" "if (!events) events = ZOOKEEPER_READ;")
deterministic_mutant(goes_on_after_a_failed_ping handle.cpp
  "if (code != ZOK || descriptor < 0) end_.lose" "if (descriptor < 0) end_.lose")
deterministic_mutant(believes_the_end_of_the_session handle.cpp
  "return connected && wire_.wait_for_last_reply(socket_.get(), steady_clock::now() + close_timeout);"
  "return connected;")
deterministic_mutant(ends_the_session_with_the_handle handle.cpp
  "  wire_.mute();
" "")
deterministic_mutant(lets_the_library_wait wire.cpp
  "may_wait_ && to_send ? timeout : 0" "timeout")

deterministic_mutant(holds_the_rest_of_a_request_back wire.cpp
  "size == frame_length_size && !is_send_cut_short_" "size == frame_length_size")
deterministic_mutant(loses_the_rest_of_a_length plain_transport.cpp
  "kept_.erase(0, of_kept);" "kept_.clear();")

# A watch on an entry that is gone stays at the server.
deterministic_mutant(leaves_a_watch_that_never_fires queue_requests.cpp
  "get_and_watch(node_of(made.action));"
  "requester_.watches().asked(this, node_of(made.action), watch_kind::node);
  requester_.send(zookeeper::exists{.path = node_of(made.action), .watch = true}, receiver_);")

# A body begins although its hold is in doubt, or lost.
deterministic_mutant(begins_a_body_in_doubt with_lock.cpp
  "const bool begins = !unproven_;" "const bool begins = true;")
# A close is confirmed where a server has only hinted that the session has expired.
deterministic_mutant(confirms_the_close_of_a_known_session session_core.cpp
  "record_.id() == 0 && !record_.is_known()" "record_.id() == 0")

# A lock that is not used for a while keeps its knowledge when its directory is deleted, or when the
# connection is lost.
deterministic_mutant(remembers_a_deleted_directory remembered_locks.cpp
  "  kept.known.watch_lost();
  if (!deleted) return;" "  if (!deleted) return;")
deterministic_mutant(remembers_an_unused_lock_over_a_reconnect remembered_locks.cpp
  "    each.kept.disconnected();" "    static_cast<void>(each);")

# A hold keeps the identity of the acquire for which its node was created.
deterministic_mutant(leaves_the_identity_of_another_acquire lock_lines.cpp
  "write_identity(queries_, c, c.wanted().identity, nullptr);" "static_cast<void>(c);")

# An acquire of an owner that waits for a proof leaves its demand in the queue.
deterministic_mutant(requests_a_proof_before_all_are_served lock_owners.cpp
  "    line_.set_in_doubt(c);
" "    tickets_.prove(*known);
    line_.set_in_doubt(c);
")

# Servers that differ grant a session after the other without a pause.
deterministic_mutant(replaces_each_session_at_once session_core.cpp
  "connector_.replace();" "connector_.begin_round();")

# Two looks at acquisitions that wait for a proof follow each other until a reply comes, and so do
# the look at such a lock and the room that another lock waits for.
deterministic_mutant(looks_again_after_its_own_looks line_tickets.cpp
  "c.entry_ != 0 && driver_->state().may_prove(c.entry_)" "c.entry_ != 0")

# After the list of servers has changed, a client stays at a server that has left the list.
deterministic_mutant(stays_at_a_server_that_left_the_list connector.cpp
  "known.empty() ? retry() : owner_.on_unlisted();" "if (known.empty()) retry();")
deterministic_mutant(keeps_the_servers_of_the_list_before resolver.cpp
  "auto before = std::exchange(servers_, {});" "auto before = servers_;")
deterministic_mutant(forgets_the_list_where_it_connects connector.cpp
  "if (!is_used() && !(open_handle() && is_listed)) {" "if (!is_used() && !open_handle()) {")
# The session of a client that moves to a listed server ends.
deterministic_mutant(ends_the_session_that_moves session_core.cpp
  "  connector_.link().release();
  end_use();
  if (!is_stopped()) connector_.begin_round();"
  "  connector_.link().release();
  end_session(errc::session_expired);
  if (!is_stopped()) connector_.begin_round();")

get_directory_property(all BUILDSYSTEM_TARGETS)
list(FILTER all INCLUDE REGEX "^deterministic_mutant_")
add_custom_target(deterministic_mutants DEPENDS ${all})
