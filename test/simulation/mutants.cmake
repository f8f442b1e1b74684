# Would a test notice? Each mutant is a copy of a source, of the queue, of its driver or of this
# directory, with one rule broken: simulation_mutant(<name> <source> <what it says> <what it says
# instead>). What is made of it is up to what includes this list.

# Rule 1: a list is sent behind the first create, and one at a time.
simulation_mutant(lists_twice scheduler.cpp
  "if (!line_.is_listing()) list(context, kind::list);
      return;"
  "list(context, kind::list);
      return;")

# Rule 2: a gap means a list.
simulation_mutant(ignores_gaps line.cpp
  "if (number == next) known_ = number;" "known_ = number;")

# Rule 4: an entry is granted when no entry comes before it.
simulation_mutant(grants_out_of_order scheduler.cpp
  "const bool may_hold = before.may_hold(e.wants);" "const bool may_hold = true;")
simulation_mutant(grants_unknown_numbers scheduler.cpp
  "if (!line_.covers(e) || (" "if ((")

# Rule 5: a watch tells of one entry.
simulation_mutant(trusts_one_watch line.cpp
  "  erase(it);
  return" "  writers_.clear();
  foreign_.clear();
  return")
simulation_mutant(watches_no_more look_ahead.cpp
  "e.ahead = entry::plan::verifying;
  return true;"
  "return false;")

# Rule 6: nothing is granted that is not proven.
simulation_mutant(grants_unproven scheduler.cpp
  "if (!context.proven) {" "if (false) {")

# Rule 7: giving up leaves nothing behind, even while the create is in flight.
simulation_mutant(leaves_places_to_others own_entries.cpp
  "if (!waiters_.is_needed(e.wants)) drop(context, e);" "")
simulation_mutant(forgets_the_abandoned own_entries.cpp
  "e.is = state::abandoned;
  waiters_.add_abandoned();"
  "")
simulation_mutant(keeps_what_nobody_needs scheduler.cpp
  "if (entries_.shed(context)) grant(context);" "")

simulation_mutant(lets_in_unseen scheduler_requests.cpp
  "actions[to].checks.push_back(granted);" "")
simulation_mutant(lets_readers_in_unseen lock_queue_downgrade.cpp
  "check_granted(context, begin);" "static_cast<void>(begin);")

# Rule 8: what a lost connection leaves open is settled.
simulation_mutant(forgets_a_delete lock_queue_lists.cpp
  "if (e->is_leaving()) entries_.remove(context, *e);" "")
simulation_mutant(remembers_over_a_reconnect line.cpp
  "  creating_ = {};
  forget();"
  "  creating_ = {};")
simulation_mutant(believes_a_stale_server client.cpp
  "if (!is_new) give" "if (false) give")
simulation_mutant(believes_a_deposed_leader client.cpp
  "give({.what = request::kind::transaction});" "give({.what = request::kind::sync});")
simulation_mutant(takes_all_for_its_own line.cpp
  "parsed->has_id && parsed->token == token" "parsed->has_id")
simulation_mutant(forgets_the_unseen lock_queue_lists.cpp
  "const bool may_be_another = settle_unseen(context, recovers) || line_.is_pin_lost();"
  "const bool may_be_another = line_.is_pin_lost();")
simulation_mutant(forgets_what_may_be_late lock_queue.cpp
  "!entries_.all().empty() || has_late_writes_;" "!entries_.all().empty();")
simulation_mutant(adopts_without_a_token own_entries.cpp
  "  e.czxid = czxid;" "")
simulation_mutant(forgets_half_of_what_it_sees lock_queue_lists.cpp
  "  line_.adopt(shown);" "  if (!recovers) line_.adopt(shown);")

# What the servers refuse for now is sent again.
simulation_mutant(leaves_what_was_refused lock_queue_replies.cpp
  "if (may_be_deleted_later(result)) {
    entries_.removal_refused(e);
    refused_ = true;"
  "if (false) {")
simulation_mutant(leaves_an_orphan_that_was_refused orphans.cpp
  "if (may_be_deleted_later(result)) {" "if (false) {")
simulation_mutant(goes_on_without_the_list_of_the_recovery lock_queue_lists.cpp
  "if (recovers && result == answer::failed) {" "if (false) {")

# What was undone with the part of another lock is asked for again.
simulation_mutant(forgets_an_undone_delete lock_queue_replies.cpp
  "if (result == answer::undone) return entries_.remove(context, e);"
  "if (result == answer::undone) return entries_.forget(context, e);")
simulation_mutant(refuses_after_an_undone_create lock_queue_replies.cpp
  "entries_.vacate(context, e, to_reason(result));"
  "entries_.vacate(context, e, result == answer::undone ? reason::failed : to_reason(result));")

# Rule 10: what is known ends with what keeps the directory.
simulation_mutant(never_doubts_the_directory line.cpp
  "return directory_watch_ == watch_state::set ||" "return true ||")
simulation_mutant(trusts_what_is_asked_for line.cpp
  "return directory_watch_ == watch_state::set ||"
  "return directory_watch_ != watch_state::none || creating_.entries != 0 ||")
simulation_mutant(ignores_the_end_of_the_directory lock_queue_replies.cpp
  "    scheduler_.directory_gone();
    entries_.lose_line(context);
  } else"
  "  } else")
simulation_mutant(trusts_a_watch_over_a_reconnect line.cpp
  "  directory_watch_ = watch_state::none;
  creating_"
  "  creating_")
simulation_mutant(makes_no_parents lock_queue_replies.cpp
  "return scheduler_.make_parents(context);" "return;")

# Children whose names look like entries, but have other numbers than the servers give out.
simulation_mutant(believes_any_number line.cpp
  "    if (!parsed) continue;
"
  "    if (!parsed) continue;
    shown.highest = std::max(shown.highest, parsed->number);
")
simulation_mutant(overlooks_negative_numbers look_ahead.cpp
  "= conflicting_own_before(e);" "= conflicting_own_before(e).value_or(-1);")
simulation_mutant(tries_behind_any_number line.cpp
  "if (number <= known_ && (with_kept || !other.may_be_kept)) before.add(other.wants);"
  "if (with_kept || !other.may_be_kept) before.add(other.wants);")

# Rule 11: numbers end.
simulation_mutant(ignores_the_last_number own_entries.cpp
  "e.number >= 0 && e.number <= last_number" "e.number >= 0")

# The window, the budget, the order of those that wait, and those that try.
simulation_mutant(ignores_the_window scheduler.cpp
  "waiters_.entries_in_line() < settings_.window" "waiters_.entries_in_line() < 1000")
simulation_mutant(ignores_the_budget node_budget.cpp
  "if (!comes_first || bytes > left_) return false;"
  "if (!comes_first) return false;")
simulation_mutant(overtakes_claims node_budget.cpp
  "if (!comes_first || bytes > left_) return false;"
  "if (bytes > left_) return false;")
simulation_mutant(forgets_the_next_in_line node_budget.cpp
  "is_due_ |= was_first || " "is_due_ |= ")
simulation_mutant(last_come_first_served waiters.cpp
  "const auto first = all.in_line.begin();"
  "const auto first = std::prev(all.in_line.end());")
simulation_mutant(keeps_the_budget own_entries_holding.cpp
  "  give_back(room);" "")
simulation_mutant(forgets_whom_it_was_for waiters.cpp
  "put_waiting(all.in_line.extract(last));" "all.in_line.erase(last);")
simulation_mutant(forgets_the_tries scheduler.cpp
  "  start_tries(context);
  fill(context);
  //"
  "  fill(context);
  //")
simulation_mutant(takes_the_lock_for_taken lock_queue_replies.cpp
  "line_.create_answered(e.wants);" "")

# Hand-overs: as often as they may be, one at a time, and what was kept for them goes in the end.
simulation_mutant(hands_over_for_ever reuse_rules.cpp
  "if (e.handoffs >= settings_.local_handoffs && !is_clear(e.wants)) return false;"
  "if (settings_.local_handoffs == 0 && !is_clear(e.wants)) return false;")
simulation_mutant(hands_over_without_a_watch reuse_rules.cpp
  "if (e.handoffs >= settings_.local_handoffs && !is_clear(e.wants)) return false;"
  "if (e.handoffs >= settings_.local_handoffs && line_.has_others(e.wants)) return false;")
simulation_mutant(keeps_without_a_cache reuse_rules.cpp
  "const bool is_wanted = (settings_.cache && waiters_.is_idle())"
  "const bool is_wanted = waiters_.is_idle()")
simulation_mutant(counts_no_turns own_entries_holding.cpp
  "++e.turn;" "")
simulation_mutant(hands_over_without_asking own_entries_holding.cpp
  "e.is = state::queued;
  line_.regroup(e);
  ++e.turn;"
  "++e.turn;")
simulation_mutant(keeps_what_was_spare own_entries_holding.cpp
  "if (e.turn != 0 && e.wants == role::exclusive) waiters_.end_hand_overs(e.wants);" "")

simulation_mutant(hands_over_to_readers reuse_rules.cpp
  "e.permits() != 0 || e.wants == role::shared ||" "e.permits() != 0 ||")
simulation_mutant(lets_readers_in_as_they_are_found scheduler.cpp
  "if (e.is == state::inspecting) return;" "")

# Readers and writers: a writer may have become a reader.
simulation_mutant(takes_writers_for_gone line.cpp
  "if (one.is == foreign::state::unconfirmed || policy_.may_be_replaced(one.wants)) {"
  "if (false) {")
simulation_mutant(writes_on lock_queue_downgrade.cpp
  "if (what == outcome::replaced) entries_.become_reader(e);" "")
simulation_mutant(forgets_a_downgrade lock_queue_downgrade.cpp
  "    if (e.is == state::held) send_downgrade(context, e);
    return;"
  "    return;")

# Semaphores: never more than there are, all or none, first come first served.
simulation_mutant(forgets_its_own_permits permits.cpp
  "others_ + own_ + count <=" "others_ + count <=")
simulation_mutant(forgets_the_permits_of_others permits.cpp
  "others_ + own_ + count <=" "own_ + count <=")
simulation_mutant(trusts_a_list_of_before scheduler.cpp
  "if (!line_.is_first_ours()) permits_.set_count_known(false);" "")
simulation_mutant(watches_no_permits scheduler.cpp
  "if (!permits_.is_watched()) list_permits(context);" "")
simulation_mutant(keeps_what_was_given_up lock_queue_permits.cpp
  "if (e.gives_back || e.is == state::releasing)
      entries_.remove" "if (e.gives_back)
      entries_.remove")
simulation_mutant(trusts_the_directory_that_it_left scheduler.cpp
  "  line_.leave();
"
  "")
simulation_mutant(ignores_a_new_limit lock_queue_permits.cpp
  "if (!empty()) return scheduler_.ask_limit(context);" "if (!empty()) return;")
simulation_mutant(keeps_the_limit_over_a_reconnect permits.cpp
  "is_limit_old_ = !is_limit_given_;" "")
simulation_mutant(waits_for_more_than_there_are lock_queue_permits.cpp
  "if (is_first) scheduler_.refuse_above(context, *permits_.most());" "")
simulation_mutant(sends_the_robbed_to_the_end waiters.cpp
  "if (first == waiting_.end() || in_line.rbegin()->first < first->first) return;"
  "if (true) return;")
simulation_mutant(returns_what_was_brought own_entries.cpp
  "waiters_.count_brought() + count_lacking()" "std::size_t{0}")
simulation_mutant(waits_for_what_has_left scheduler.cpp
  "!e.is_replacing() && !e.is_leaving();" "!e.is_replacing();")
simulation_mutant(grants_unproven_permits scheduler.cpp
  "if (!context.proven) return confirm(context, *e);" "")
simulation_mutant(takes_more_than_the_budget own_entries.cpp
  "budget_.take(settings_.entry_bytes * (nodes - own), need)"
  "budget_.take(settings_.entry_bytes * (nodes > own), need)")
simulation_mutant(deletes_a_part_only lock_queue_permits.cpp
  "e.replaced.is_shown() ? entries_.remove(context, e) : entries_.forget(context, e);"
  "entries_.forget(context, e);")

# A lock without an entry gets the room of entries that wait behind others.
simulation_mutant(keeps_its_room scheduler_refusals.cpp
  "if (e.is != state::queued || e.is_try() || !entries_.frees_room(e)) continue;" "continue;")

simulation_mutant(waits_for_what_never_fits lock_queue.cpp
  "if (!fits_budget(asked.permits)) return scheduler_.refuse(context, id, reason::budget_exhausted);"
  "")
simulation_mutant(has_room_for_one_permit own_entries.cpp
  "  if (!take_room(asked.permits, "
  "  asked.permits = 1;
  if (!take_room(asked.permits, ")
simulation_mutant(waits_behind_those_without_room scheduler.cpp
  "starved_ = !enter_line(context, waiters_.first_waiting()) &&
               !enter_line(context, waiters_.first_brought());"
  "starved_ = !enter_line(context, waiters_.first_waiting());")

# What is kept for the next use.
simulation_mutant(grants_before_the_list_is_here reuse_rules.cpp
  "return cache_.is_watched() && line_.is_known() && !line_.has_others(wants);" "return !line_.has_others(wants);")
simulation_mutant(grants_after_the_event lock_queue_lists.cpp
  "  cache_.fired();
  if (!by_others ||" "  if (true ||")
simulation_mutant(keeps_the_watch_over_a_reconnect lock_queue.cpp
  "  cache_.disconnected();
" "")
simulation_mutant(keeps_what_is_in_the_way scheduler_cache.cpp
  "if (line_.has_others(kept)) return true;" "")
simulation_mutant(keeps_what_we_want_otherwise scheduler_cache.cpp
  "if (waiters_.is_any_wanting(other) && settings_.policy.conflicts(kept, other)) return true;" "")
simulation_mutant(keeps_what_is_requested reuse_rules.cpp
  "  if (e.is_requested()) return false;
" "")
simulation_mutant(leaves_what_is_requested_in_the_cache own_entries_cached.cpp
  "if (e.is == state::cached || is_handed_over) drop(context, e);" "")
simulation_mutant(hands_over_what_is_requested own_entries_cached.cpp
  "e.is == state::queued && e.turn != 0" "false")
simulation_mutant(hears_of_no_request queue_requests.cpp
  "zookeeper::exists{.path = node, .watch = true}" "zookeeper::exists{.path = node}")
simulation_mutant(wraps_the_turn reuse_rules.cpp
  "|| e.turn == settings_.most_turns)" ")")

# The line: it grants in the order of the acquisitions, each turn once, and only what is asked for;
# and before an event the queue knows who holds and who waits.
simulation_mutant(overtakes_in_the_line lock_line.cpp
  "open_->holder || !waiting_.empty() || !may_grant(c)" "open_->holder || !may_grant(c)")
simulation_mutant(grants_to_the_other_role lock_line.cpp
  "by.next.wants == to.wanted_.wants &&
         to.is_proven();"
  "to.is_proven();")
simulation_mutant(goes_on_granting_during_events line_tickets.cpp
  "void line_tickets::on_event() {
  close();
}"
  "void line_tickets::on_event() {}")
simulation_mutant(forgets_who_came_to_the_line line_tickets.cpp
  "if (is_new) added.push_back({ticket, asked_by(c)});" "")
simulation_mutant(forgets_who_left_the_line line_tickets.cpp
  "driver_->granted_outside(was.entry, was.next_turn, held_by, loose, added);"
  "driver_->granted_outside(was.entry, was.next_turn, held_by, {}, added);")
simulation_mutant(grants_in_the_order_of_the_tickets line_tickets.cpp
  "if (&first != c && !first.wanted_.has_room && !c->wanted_.has_room) {"
  "if (false) {")
simulation_mutant(leaves_spare_entries_in_line line_tickets.cpp
  "caches_ && queue.entries().size() == 1" "caches_")

# Several locks: in the same order everywhere, all or nothing.
simulation_mutant(acquires_in_the_order_given multi_caller.cpp
  "a.directory < b.directory" "false")
simulation_mutant(holds_a_part multi_caller.cpp
  "held += one && one->held;" "++held;")
simulation_mutant(keeps_what_it_waited_for multi_caller.cpp
  "  for (std::size_t i = 0; i < acquisitions_.size(); ++i)
    if (find(i)) client_.release" "  for (std::size_t i = 0; i + 1 < acquisitions_.size(); ++i)
    if (find(i)) client_.release")

# The driver: what it sends, in which order, and what it makes of the replies.
simulation_mutant(takes_permits_before_it_leaves_the_line queue_requests.cpp
  ".data = i == 0 ? requester_.identity() : std::string(),
                      .ephemeral = true});"
  ".data = i == 0 ? requester_.identity() : std::string(),
                      .ephemeral = true});
  std::swap(writes.front(), writes.back());")
simulation_mutant(deletes_before_it_checks queue_requests.cpp
  "if (removes) writes.push_back({.what = write::kind::remove, .path = node_of(made.action)});"
  "if (removes) writes.push_back({.what = write::kind::remove, .path = node_of(made.action)});
  std::swap(writes.front(), writes.back());")
simulation_mutant(lists_permits_behind_entries queue_requests.cpp
  "if (action.what == kind::sync_and_list) send({.what = kind::list_permits});"
  "if (action.what == kind::sync_and_list) {
      list(in_flight_.emplace_back(request{.action = std::move(action)}));
      return send({.what = kind::list_permits});
    }")
simulation_mutant(forgets_what_a_check_kept_from_being_done queue_requests.cpp
  "if (removes || !checks.empty()) self.send(std::move(action));" "")
simulation_mutant(checks_again_what_is_gone queue_requests.cpp
  "gone ? got.reply.first_failed + 1" "gone ? got.reply.first_failed")
simulation_mutant(ignores_a_failed_check queue_requests.cpp
  "if (!gone) return;" "return;")
simulation_mutant(believes_the_last_of_several_deletes queue_requests.cpp
  "worst != answer::ok ? worst : got.result" "got.result")
simulation_mutant(mistakes_replies queue_requests.cpp
  "request& first = in_flight_.front();" "request& first = in_flight_.back();")
simulation_mutant(ignores_what_a_confirmation_misses queue_requests.cpp
  "if (it == self.queue_.entries().end()) return;" "return;")
simulation_mutant(ignores_a_confirmation lock_driver.cpp
  "requester_.when_proven(*this);" "return;")
simulation_mutant(waits_for_answers_of_a_lost_connection queue_requests.cpp
  "  in_flight_.clear();
" "")
simulation_mutant(ignores_changes_of_permits lock_driver.cpp
  "feed([&](queue::event_context& context) { queue_.permits_changed(context); });" "return;")

# Entries that others delete, and with them the directory.
simulation_mutant(keeps_what_follows_a_lost_entry lock_queue_replies.cpp
  "if (result == answer::ok || !was_in_line) return" "if (true) return")
simulation_mutant(trusts_a_refused_delete lock_queue_replies.cpp
  "if (!was_in_line || !settings_.policy.holds_by_permits()) return;" "return;")
simulation_mutant(trusts_a_lost_take lock_queue_permits.cpp
  "entries_.give_back_behind(e.number);" "")
simulation_mutant(keeps_what_was_overtaken lock_queue_lists.cpp
  "for (entry* const e : overtaken) {" "for (entry* const e : std::vector<entry*>{}) {")
simulation_mutant(trusts_a_line_that_has_lost_entries lock_queue_lists.cpp
  "settle_unseen(context, recovers) || line_.is_pin_lost();"
  "(settle_unseen(context, recovers), line_.is_pin_lost());")
simulation_mutant(asks_not_for_what_holds scheduler.cpp
  "line_.lacks_list() && line_.is_any_held_uncovered()" "false")
simulation_mutant(loses_holds_to_names_by_hand line.cpp
  "others_between(0, e.number)" "others_between({}, e.number)")
simulation_mutant(takes_permits_in_another_directory own_entries_holding.cpp
  "if (e.is_replacing() && e.number > number) e.gives_back = true;" "{}")
simulation_mutant(finds_permits_in_another_directory lock_queue_permits.cpp
  "e.replaced.listed(false) == outcome::lost || e.gives_back;"
  "e.replaced.listed(false) == outcome::lost;")
