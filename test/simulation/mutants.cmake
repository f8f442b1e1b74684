# Would a test notice? Each mutant is a copy of a source, of the queue, of its driver or of this
# directory, with one rule broken: simulation_mutant(<name> <source> <what it says> <what it says
# instead>). What is made of it is up to what includes this list.

# Rule 1: a list is sent behind the first create, and one at a time.
simulation_mutant(lists_twice scheduler.cpp
  "if (!line_.channel().is_listing()) requests_.list(context, kind::list);
      return;"
  "requests_.list(context, kind::list);
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
simulation_mutant(trusts_one_watch foreign_entries.cpp
  "    all_.erase(it);
    return"
  "    clear();
    return")
simulation_mutant(watches_no_more line.cpp
  "e.ahead = entry::plan::verifying;
  return true;"
  "return false;")

# Rule 6: nothing is granted that is not proven.
simulation_mutant(grants_unproven scheduler.cpp
  "if (!context.proven) {" "if (false) {")

# Rule 7: giving up leaves nothing behind, even while the create is in flight.
simulation_mutant(leaves_places_to_others entry_life.cpp
  "if (removed.in_line) drop(context, *entries_.find(entries_.at(*removed.in_line).id));"
  "")
simulation_mutant(forgets_the_abandoned entry_counts.cpp
  "if (e.is == state::abandoned) abandoned_ += more;"
  "")
simulation_mutant(keeps_what_nobody_needs scheduler.cpp
  "if (life_.shed(context)) grant(context);"
  "")

simulation_mutant(lets_in_unseen scheduler.cpp
  "actions[to].checks.push_back(granted);"
  "")
simulation_mutant(lets_readers_in_unseen server_events.cpp
  "scheduler_.advance(context);
  check_granted(context, begin);
}

void server_events::taken"
  "scheduler_.advance(context);
  static_cast<void>(begin);
}

void server_events::taken")

# Rule 8: what a lost connection leaves open is settled.
simulation_mutant(forgets_a_delete reconciler.cpp
  "  if (e.is_leaving()) {
    what == seen::none ? life_.forget(context, e) : life_.remove(context, e);"
  "  if (e.is_leaving()) {
    if (what == seen::none) life_.forget(context, e);")
simulation_mutant(forgets_who_is_left_in_line line.cpp
  "return own().empty() && foreign_.empty() ? known_ : std::nullopt;" "return known_;")
simulation_mutant(remembers_over_a_reconnect line.cpp
  "  directory_watch_ = watch_state::none;
  forget();"
  "  directory_watch_ = watch_state::none;")
simulation_mutant(believes_a_stale_server client.cpp
  "if (!is_new) give" "if (false) give")
simulation_mutant(believes_a_deposed_leader client.cpp
  "give({.what = request::kind::transaction});" "give({.what = request::kind::sync});")
simulation_mutant(takes_all_for_its_own line.cpp
  "parsed->has_id && parsed->token == channel_.token()"
  "parsed->has_id")
simulation_mutant(forgets_the_unseen reconciler.cpp
  "const bool may_be_another = settle_missing(context, recovers) || line_.is_pin_lost();"
  "const bool may_be_another = line_.is_pin_lost();")
simulation_mutant(forgets_what_may_be_late lock_queue.cpp
  "!life_.entries().all().empty() || has_late_writes();"
  "!life_.entries().all().empty();")
simulation_mutant(adopts_without_a_token entry_life.cpp
  "  e.czxid = czxid;"
  "")
simulation_mutant(forgets_half_of_what_it_sees reconciler.cpp
  "  line_.adopt(shown);"
  "  if (!recovers) line_.adopt(shown);")

# What the servers refuse for now is sent again.
simulation_mutant(leaves_what_was_refused server_events.cpp
  "if (may_succeed_later(result)) {
    entries_.set(e, state::refused);
    unfinished_.refused();"
  "if (false) {")
simulation_mutant(leaves_an_orphan_that_was_refused orphans.cpp
  "if (may_succeed_later(result)) {" "if (false) {")
simulation_mutant(goes_on_without_the_list_of_the_recovery server_events.cpp
  "if (recovers && may_succeed_later(result)) return unfinished_.list_refused();"
  "")

# What was undone with the part of another lock is asked for again.
simulation_mutant(forgets_an_undone_delete server_events.cpp
  "if (result == answer::undone) return life_.remove(context, e);"
  "if (result == answer::undone) return life_.forget(context, e);")
simulation_mutant(refuses_after_an_undone_create server_events.cpp
  "life_.vacate(context, e, to_reason(result));"
  "life_.vacate(context, e, result == answer::undone ? reason::failed : to_reason(result));")

# Rule 10: what is known ends with what keeps the directory.
simulation_mutant(never_doubts_the_directory line.cpp
  "return directory_watch_ == watch_state::set ||" "return true ||")
simulation_mutant(trusts_what_is_asked_for line.cpp
  "return directory_watch_ == watch_state::set ||"
  "return directory_watch_ != watch_state::none || channel_.is_creating() ||")
simulation_mutant(ignores_the_end_of_the_directory server_events.cpp
  "    scheduler_.requests().directory_gone();
    life_.lose_line(context);
  } else"
  "  } else")
simulation_mutant(trusts_a_watch_over_a_reconnect line.cpp
  "  directory_watch_ = watch_state::none;
  forget();"
  "  forget();")
simulation_mutant(makes_no_parents server_events.cpp
  "life_.lose_line(context);
    return scheduler_.requests().make_parents(context);"
  "life_.lose_line(context);
    return;")

# Children whose names look like entries, but have other numbers than the servers give out.
simulation_mutant(believes_any_number line.cpp
  "    if (!parsed) continue;
"
  "    if (!parsed) continue;
    shown.highest = std::max(shown.highest, parsed->number);
")
simulation_mutant(overlooks_negative_numbers line.cpp
  "= conflicting_own_before(e);" "= conflicting_own_before(e).value_or(-1);")
simulation_mutant(tries_behind_any_number line.cpp
  "if (number <= known_ && (with_cached || !other.may_be_cached)) before.add(other.wants);"
  "if (with_cached || !other.may_be_cached) before.add(other.wants);")

# Rule 11: numbers end.
simulation_mutant(ignores_the_last_number entry_life.cpp
  "e.number >= 0 && e.number <= last_number"
  "e.number >= 0")

# The window, the budget, the order of those that wait, and those that try.
simulation_mutant(ignores_the_window scheduler.cpp
  "if (entries_.count_in_line() >= settings_.max_entries) return;" "")
simulation_mutant(ignores_the_budget node_budget.cpp
  "if (!comes_first || bytes > left_) return false;"
  "if (!comes_first) return false;")
simulation_mutant(overtakes_claims node_budget.cpp
  "if (!comes_first || bytes > left_) return false;"
  "if (bytes > left_) return false;")
simulation_mutant(forgets_the_next_in_line node_budget.cpp
  "is_due_ |= was_first || " "is_due_ |= ")
simulation_mutant(last_come_first_served demands.cpp
  "const auto it = all.by_id.begin();"
  "const auto it = std::prev(all.by_id.end());")
simulation_mutant(keeps_the_budget own_entries.cpp
  "  budget_.put_back(settings_.entry_bytes * (owned_ - needed));" "")
simulation_mutant(forgets_whom_it_was_for entry_life.cpp
  "e.tries ? demands_.tries().add(to) : demands_.add_again(to);"
  "if (e.tries) demands_.tries().add(to);")
simulation_mutant(joins_a_marked_demand demands.cpp
  "if (is_open_ && last != " "if (last != ")
simulation_mutant(lets_the_refused_leave_their_entries scheduler.cpp
  "to && *to <= e->newest && "
  "to && ")
simulation_mutant(forgets_the_tries scheduler.cpp
  "  tries_.start(context);
  fill(context);
  //"
  "  fill(context);
  //")
simulation_mutant(takes_the_lock_for_taken server_events.cpp
  "line_.channel().create_answered(e.wants);"
  "")

# Hand-overs: as often as they may be, one at a time, and their spare entries go in the end.
simulation_mutant(hands_over_for_ever reuse_rules.cpp
  "if (e.handoffs >= settings_.local_handoffs && !is_clear(e.wants)) return false;"
  "if (settings_.local_handoffs == 0 && !is_clear(e.wants)) return false;")
simulation_mutant(hands_over_without_a_watch reuse_rules.cpp
  "if (e.handoffs >= settings_.local_handoffs && !is_clear(e.wants)) return false;"
  "if (e.handoffs >= settings_.local_handoffs && line_.others().conflict(e.wants)) return false;")
simulation_mutant(keeps_without_a_cache reuse_rules.cpp
  "const bool is_wanted = (settings_.cache && demands_.is_idle())"
  "const bool is_wanted = demands_.is_idle()")
simulation_mutant(counts_no_turns entry_life.cpp
  "  ++e.turn;
  ++e.handoffs;"
  "  ++e.handoffs;")
simulation_mutant(hands_over_without_asking entry_life.cpp
  "entries_.set(e, state::queued);
  ++e.turn;"
  "++e.turn;")
simulation_mutant(keeps_what_was_spare entry_life.cpp
  "if (e.turn != 0 && e.wants == role::exclusive) demands_.set_spare(e.wants, 0);"
  "")

simulation_mutant(hands_over_to_readers reuse_rules.cpp
  "e.permits() != 0 || e.wants == role::shared ||" "e.permits() != 0 ||")
simulation_mutant(lets_readers_in_as_they_are_found scheduler.cpp
  "if (e.is == state::inspecting) return;" "")

# Readers and writers: a writer may have become a reader.
simulation_mutant(takes_writers_for_gone foreign_entries.cpp
  "if (one.is != foreign::state::unconfirmed && !policy_.may_be_replaced(one.wants)) {"
  "if (true) {")
simulation_mutant(writes_on downgrades.cpp
  "  if (now == outcome::replaced)
    life_.become_reader(e);
  else
"
  "  if (now != outcome::replaced)
")
simulation_mutant(forgets_a_downgrade reconciler.cpp
  "if (what == seen::first) return downgrades_.send(context, e);"
  "if (what == seen::first) return;")

# Semaphores: never more than there are, all or none, first come first served.
simulation_mutant(forgets_its_own_permits permits.cpp
  "others_ + own_ + count <=" "others_ + count <=")
simulation_mutant(forgets_the_permits_of_others permits.cpp
  "others_ + own_ + count <=" "own_ + count <=")
simulation_mutant(trusts_a_list_of_before scheduler.cpp
  "if (!line_.is_first_ours()) permits_.set_count_known(false);" "")
simulation_mutant(watches_no_permits scheduler.cpp
  "if (!permits_.is_watched()) requests_.list_permits(context);"
  "")
simulation_mutant(keeps_what_was_given_up server_events.cpp
  "if (e.removes_permits || e.is == state::releasing)
      life_.remove"
  "if (e.removes_permits)
      life_.remove")
simulation_mutant(trusts_the_directory_that_it_left scheduler.cpp
  "  line_.leave();
"
  "")
simulation_mutant(ignores_a_new_limit server_events.cpp
  "if (!scheduler_.is_idle() || !orphans_.empty()) return scheduler_.requests().ask_limit(context);"
  "if (!scheduler_.is_idle() || !orphans_.empty()) return;")
simulation_mutant(keeps_the_limit_over_a_reconnect permits.cpp
  "is_limit_old_ = !is_limit_given_;" "")
simulation_mutant(waits_for_more_than_there_are server_events.cpp
  "if (is_first) scheduler_.refuse_above(context, *permits_.most());"
  "")
simulation_mutant(returns_what_was_brought demands.cpp
  "if (one.asked.has_room) nodes += (one.count - some) * one.asked.permits;" "")
simulation_mutant(grants_unproven_permits scheduler.cpp
  "if (!context.proven) return requests_.confirm(context, *e);"
  "")
simulation_mutant(takes_more_than_the_budget own_entries.cpp
  "budget_.take(settings_.entry_bytes * (needed - owned_), need)"
  "budget_.take(settings_.entry_bytes * (needed > owned_), need)")
simulation_mutant(deletes_a_part_only reconciler.cpp
  "  if (e.is_leaving())
    what == seen::none ? life_.forget(context, e) : life_.remove(context, e);"
  "  if (e.is_leaving())
    life_.forget(context, e);")

# A lock without an entry gets the room of entries that wait behind others.
simulation_mutant(keeps_its_room scheduler.cpp
  "if (e.is != state::queued || e.is_own() || !entries_.frees_room(e)) continue;"
  "continue;")

simulation_mutant(waits_for_what_never_fits lock_queue.cpp
  "return fits_budget(asked.permits) ? reason::none : reason::budget_exhausted;"
  "return reason::none;")
simulation_mutant(has_room_for_one_permit own_entries.cpp
  "to.asked.has_room ? 0 : to.asked.permits"
  "to.asked.has_room ? 0 : 1")
simulation_mutant(forgets_who_brought_room scheduler.cpp
  "if (!e) demands_.add_again(*brought);" "")
simulation_mutant(hands_over_past_its_own_entries entry_life.cpp
  "if (entries_.is_any_own()) return remove(context, e);"
  "")
simulation_mutant(waits_behind_those_without_room scheduler.cpp
  "const auto brought = e ? std::nullopt : demands_.next_brought();"
  "const std::optional<demand> brought;")

# Entries cached for the next use.
simulation_mutant(grants_before_the_list_is_here reuse_rules.cpp
  "return cache_.is_watched() && line_.is_known() && !line_.others().conflict(wants);"
  "return !line_.others().conflict(wants);")
simulation_mutant(grants_after_the_event server_events.cpp
  "  cache_.fired();
  if (!by_others ||"
  "  if (true ||")
simulation_mutant(keeps_the_watch_over_a_reconnect lock_queue.cpp
  "  cache_.disconnected();
" "")
simulation_mutant(keeps_what_is_in_the_way scheduler.cpp
  "if (line_.others().conflict(cached)) return true;"
  "")
simulation_mutant(keeps_what_we_want_otherwise scheduler.cpp
  "if (demands_.is_any_wanting(other) && settings_.policy.conflicts(cached, other)) return true;"
  "")
simulation_mutant(keeps_what_is_requested reuse_rules.cpp
  "  if (!e.may_be_reused()) return false;
" "  if (e.identity) return false;
")
simulation_mutant(leaves_what_is_requested_in_the_cache entry_life.cpp
  "if (e.is == state::cached || is_handed_over) drop(context, e);"
  "")
simulation_mutant(hands_over_what_is_requested entry_life.cpp
  "e.is == state::queued && e.turn != 0"
  "false")
simulation_mutant(hears_of_no_request queue_requests.cpp
  "get_and_watch(node_of(made.action));"
  "requester_.send(zookeeper::get{.path = node_of(made.action)}, receiver_);")
simulation_mutant(wraps_the_turn reuse_rules.cpp
  "|| e.turn == settings_.most_turns)" ")")

# Identities: an entry with an identity of its own serves one hold, and its nodes have the identity.
simulation_mutant(caches_an_identity reuse_rules.cpp
  "  if (!e.may_be_reused()) return false;
" "  if (e.is_requested()) return false;
")
simulation_mutant(grants_a_cached_entry_by_another_name scheduler.cpp
  "(entries_.is_any_own() || demands_.is_any_named())" "entries_.is_any_own()")
simulation_mutant(hands_an_entry_over_by_another_name reuse_rules.cpp
  "!e.may_be_reused() || demands_.is_any_named())" "!e.may_be_reused())")
simulation_mutant(creates_with_the_clients_identity lock_requests.cpp
  ".entry = e.id, .identity = e.identity});" ".entry = e.id});")
simulation_mutant(downgrades_with_the_clients_identity downgrades.cpp
  ".number = e.number,
                             .identity = e.identity});"
  ".number = e.number});")
simulation_mutant(takes_permits_by_another_name scheduler.cpp
  ".identity = e.asked.identity});" ".identity = e.identity});")
simulation_mutant(trusts_the_name_of_an_entry entry_life.cpp
  "e.permits() == 0 && e.identity != to.asked.identity;" "false;")
simulation_mutant(caches_what_was_renamed entry_life.cpp
  "  e.data = entry::node_data::changed;
}

void entry_life::lose" "}

void entry_life::lose")

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
  "is_unserved_ = true;"
  "")
simulation_mutant(forgets_who_left_the_line line_tickets.cpp
  "was.holder != nullptr,
                                         was.loose_tickets);"
  "was.holder != nullptr, {});")
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
  ".data = i == 0 ? identity_of(made.action) : std::string(),
                      .ephemeral = true});"
  ".data = i == 0 ? identity_of(made.action) : std::string(),
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
  "feed([&](queue::event_context& context) { queue_.events().permits_changed(context); });"
  "return;")

# Entries that others delete, and with them the directory.
simulation_mutant(keeps_what_follows_a_lost_entry server_events.cpp
  "if (result == answer::ok || !was_in_line)"
  "if (true)")
simulation_mutant(trusts_a_refused_delete server_events.cpp
  "if (!was_in_line || !by_permits) return;"
  "return;")
simulation_mutant(trusts_a_lost_take reconciler.cpp
  "life_.remove_permits_behind(e.number);"
  "")
simulation_mutant(keeps_what_was_overtaken reconciler.cpp
  "for (entry* const e : overtaken) {"
  "for (entry* const e : std::vector<entry*>{}) {")
simulation_mutant(trusts_a_line_that_has_lost_entries reconciler.cpp
  "settle_missing(context, recovers) || line_.is_pin_lost();"
  "(settle_missing(context, recovers), line_.is_pin_lost());")
simulation_mutant(asks_not_for_what_holds scheduler.cpp
  "line_.lacks_list() && line_.is_any_held_uncovered()" "false")
simulation_mutant(loses_holds_to_names_by_hand line.cpp
  "between(0, e.number)"
  "between({}, e.number)")
simulation_mutant(takes_permits_in_another_directory entry_life.cpp
  "if (e.is_replacing() && e.number > number) e.removes_permits = true;"
  "{}")
simulation_mutant(finds_permits_in_another_directory reconciler.cpp
  "const bool is_lost = what != seen::replaced || e.removes_permits;"
  "const bool is_lost = what != seen::replaced;")
