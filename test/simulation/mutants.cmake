# Would the simulation notice? Each mutant is a copy of the queue, or of who uses it here, with one
# rule broken; its test passes where some history fails.

# simulation_mutant(<name> <source> <what it says> <what it says instead>)
#
# The source is one of src/queue, or of this directory.
function(simulation_mutant name source from to)
  set(original ${PROJECT_SOURCE_DIR}/src/queue/${source})
  if(NOT EXISTS ${original})
    set(original ${CMAKE_CURRENT_SOURCE_DIR}/${source})
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${original})
  file(READ ${original} text)
  string(FIND "${text}" "${from}" first)
  string(FIND "${text}" "${from}" last REVERSE)
  if(first EQUAL -1 OR NOT first EQUAL last)
    message(FATAL_ERROR "mutant ${name}: not found exactly once in ${original}: ${from}")
  endif()
  string(REPLACE "${from}" "${to}" text "${text}")
  set(copy ${CMAKE_CURRENT_BINARY_DIR}/mutants/${name}/${source})
  file(CONFIGURE OUTPUT ${copy} CONTENT "${text}" @ONLY)

  set(target simulation_mutant_${name})
  add_executable(${target} ${copy})
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE simulation_main)
  add_test(NAME simulation.mutant.${name} COMMAND ${target} --expect-failure)
  set_tests_properties(simulation.mutant.${name} PROPERTIES TIMEOUT 600)
endfunction()

# Rule 1: a list is sent behind the first create, and one at a time.
simulation_mutant(lists_twice line.cpp
  "if (!listing_) list(context, kind::list);
      return;" "list(context, kind::list);
      return;")

# Rule 2: a gap means a list.
simulation_mutant(ignores_gaps answers.cpp
  "if (number == next) known_ = number;" "known_ = number;")

# Rule 4: an entry is granted when no entry comes before it.
simulation_mutant(grants_out_of_order line.cpp
  "const bool admitted = settings_.policy.may_hold(before, e.wants);" "const bool admitted = true;")
simulation_mutant(grants_unknown_numbers line.cpp
  "if (!covered(e) || (" "if ((")

# Rule 5: a watch tells of one entry.
simulation_mutant(trusts_one_watch answers.cpp
  "foreign_.erase(it);" "foreign_.clear();")
simulation_mutant(watches_no_more line.cpp
  "e.ahead = entry::plan::verifying;
  return true;" "return false;")

# Rule 6: nothing is granted that is not proven.
simulation_mutant(grants_unproven line.cpp
  "if (!context.proven) {" "if (false) {")

# Rule 7: who gives up leaves nothing behind, even while the create is in flight.
simulation_mutant(leaves_places_to_others seats.cpp
  "if (!needed(e)) drop(context, *find(e.id));" "")
simulation_mutant(forgets_the_abandoned seats.cpp
  "e.abandoned = true;
  ++abandoned_;" "")
simulation_mutant(keeps_what_nobody_needs line.cpp
  "if (shed(context)) grant(context);" "")

simulation_mutant(lets_in_unseen line.cpp
  "actions[to].checks.push_back(granted);" "")
simulation_mutant(lets_readers_in_unseen downgrade.cpp
  "check_granted(context, begin);" "static_cast<void>(begin);")

# Rule 8: what a lost connection leaves open is settled.
simulation_mutant(forgets_a_delete listing.cpp
  "if (e->is == entry::state::removing && recovered) remove(context, *e);" "")
simulation_mutant(remembers_over_a_reconnect queue.cpp
  "  creating_ = {};
  forget_others();" "  creating_ = {};")
simulation_mutant(believes_a_stale_server client_session.cpp
  "if (!is_new)" "if (false)")
simulation_mutant(believes_a_deposed_leader client_session.cpp
  "request::kind::check, .name = \"no such node\"" "request::kind::sync, .name = \"no such node\"")
simulation_mutant(takes_all_for_its_own listing.cpp
  "parsed->has_id && parsed->token == token_" "parsed->has_id")
simulation_mutant(forgets_the_unseen listing.cpp
  "  settle_unseen(context, recovered);
" "")
simulation_mutant(adopts_without_a_token answers.cpp
  "    e->czxid = czxid;" "")
simulation_mutant(forgets_half_of_what_it_sees listing.cpp
  "  foreign_ = std::move(others);" "  if (!recovered) foreign_ = std::move(others);")

# What the servers refuse for now is sent again.
simulation_mutant(leaves_what_was_refused removing.cpp
  "if (result == answer::failed) {
    e.refused = refused_ = true;
    return;" "if (false) {
    return;")
simulation_mutant(leaves_a_stray_that_was_refused removing.cpp
  "if (result == answer::failed) {
    one->asked = false;" "if (false) {
    one->asked = false;")
simulation_mutant(goes_on_without_the_list_of_the_recovery listing.cpp
  "if (recovering_ && result == answer::failed) {" "if (false) {")

# Rule 10: what is known ends with what keeps the directory.
simulation_mutant(never_doubts_the_directory queue.cpp
  "return directory_watch_ == presence::present ||" "return true ||")
simulation_mutant(trusts_what_is_asked_for queue.cpp
  "return directory_watch_ == presence::present ||"
  "return directory_watch_ != presence::absent || unheld() != 0 ||")
simulation_mutant(ignores_the_end_of_the_directory answers.cpp
  "    directory_ = presence::absent;
    clear_line(context);
  } else" "  } else")
simulation_mutant(trusts_a_watch_over_a_reconnect queue.cpp
  "  directory_watch_ = presence::absent;
  creating_" "  creating_")
simulation_mutant(makes_no_parents answers.cpp
  "context.actions.push_back({.what = kind::make_parents});" "return;")

# Children whose names look like entries, but have other numbers than the servers give out.
simulation_mutant(believes_any_number listing.cpp
  "    if (!parsed) continue;
" "    if (!parsed) continue;
    highest = std::max(highest, parsed->number);
")
simulation_mutant(overlooks_negative_numbers line.cpp
  "std::optional<sequence> floor;" "std::optional<sequence> floor = -1;")
simulation_mutant(tries_behind_any_number listing.cpp
  "if (number <= known_) before.add(other.wants);" "before.add(other.wants);")

# Rule 11: numbers end.
simulation_mutant(ignores_the_last_number entries.cpp
  "e.number >= 0 && e.number <= last_number" "e.number >= 0")

# The window, the budget, the order of those who wait here, and those who do not wait.
simulation_mutant(ignores_the_window seats.cpp
  "unheld() < settings_.window" "unheld() < 1000")
simulation_mutant(ignores_the_budget entries.cpp
  "if (!budget_.take(settings_.entry_bytes)) {"
  "if (!budget_.take(settings_.entry_bytes) && false) {")
simulation_mutant(last_come_first_served seats.cpp
  "e.acquisition = all.taken.begin()->first;
  all.taken.erase(all.taken.begin());"
  "e.acquisition = all.taken.rbegin()->first;
  all.taken.erase(std::prev(all.taken.end()));")
simulation_mutant(keeps_the_budget entries.cpp
  "budget_.give_back(settings_.entry_bytes * std::max<std::size_t>(e.permits, 1));" "")
simulation_mutant(forgets_whom_it_was_for seats.cpp
  "waiting_.emplace(last->first, lock_mode{.wants = e.wants, .permits = last->second});" ";")
simulation_mutant(forgets_the_tries line.cpp
  "  start_tries(context);
  fill(context);
  //" "  fill(context);
  //")
simulation_mutant(takes_the_lock_for_taken answers.cpp
  "creating_.remove(e.wants);" "")

# Hand-overs: as often as they may be, one at a time, and what was kept for them goes in the end.
simulation_mutant(hands_over_for_ever seats.cpp
  "if (e.turn >= settings_.local_handoffs) return false;"
  "if (settings_.local_handoffs == 0) return false;")
simulation_mutant(counts_no_turns seats.cpp
  "++e.turn;" "")
simulation_mutant(hands_over_without_asking seats.cpp
  "e.is = entry::state::queued;
  ++e.turn;" "++e.turn;")
simulation_mutant(keeps_what_was_spare seats.cpp
  "if (e.turn != 0) seats_of(e.wants).spare = 0;" "")

simulation_mutant(hands_over_to_readers seats.cpp
  "settings_.policy.holds_by_permits() || e.wants == role::shared ||" "settings_.policy.holds_by_permits() ||")
simulation_mutant(lets_readers_in_as_they_are_found line.cpp
  "if (e.is == entry::state::inspecting) return;" "")

# Readers and writers: a writer may have become a reader.
simulation_mutant(takes_writers_for_gone answers.cpp
  "if (deleted && (it->second.unsure || settings_.policy.may_be_replaced(it->second.wants))) {" "if (false) {")
simulation_mutant(writes_on downgrade.cpp
  "if (result == answer::ok) e->wants = role::shared;" "")
simulation_mutant(forgets_a_downgrade downgrade.cpp
  "seen == e.wants && e.is == entry::state::held) return send_downgrade(context, e);"
  "seen == e.wants && e.is == entry::state::held) return;")

# Semaphores: never more than there are, all or none, first come first served.
simulation_mutant(forgets_its_own_permits permits.cpp
  "permits_.others + permits_.own + permits <=" "permits_.others + permits <=")
simulation_mutant(forgets_the_permits_of_others permits.cpp
  "permits_.others + permits_.own + permits <=" "permits_.own + permits <=")
simulation_mutant(trusts_a_list_of_before line.cpp
  "if (!first_in_line()) permits_.known = false;" "")
simulation_mutant(watches_no_permits permits.cpp
  "if (!permits_.watched) list_permits(context);" "")
simulation_mutant(keeps_what_was_given_up permits.cpp
  "    e.czxid = czxid;
    if (e.given_back) remove(context, e);" "    e.czxid = czxid;")
simulation_mutant(trusts_the_directory_that_it_left permits.cpp
  "  weigh_anchor();
" "")
simulation_mutant(ignores_a_new_limit limit.cpp
  "if (!empty()) return ask_limit(context);" "if (!empty()) return;")
simulation_mutant(keeps_the_limit_over_a_reconnect queue.cpp
  "permits_.limit_is_old = !settings_.limit;" "")
simulation_mutant(waits_for_more_than_there_are limit.cpp
  "if (first) compare_with_limit(context);" "")
simulation_mutant(sends_the_robbed_to_the_end permits.cpp
  "if (seated.empty() || seated.rbegin()->first < e.acquisition) {" "if (true) {")
simulation_mutant(grants_unproven_permits permits.cpp
  "if (!context.proven) return confirm(context, e);" "")
simulation_mutant(takes_more_than_the_budget permits.cpp
  "if (!budget_.take(settings_.entry_bytes * (permits - 1))) {"
  "if (!budget_.take(settings_.entry_bytes * (permits - 1)) && false) {")
simulation_mutant(deletes_a_part_only permit_list.cpp
  "return e.permits_seen != 0 ? remove(context, e) : forget(context, e);" "return forget(context, e);")

# Who waits for the budget, and has nothing to give back, gets it from those behind others.
simulation_mutant(keeps_its_room seats.cpp
  "if (e.is != entry::state::queued || e.tries) continue;" "continue;")

simulation_mutant(waits_for_what_never_fits queue.cpp
  "if (!fits_budget(asked.permits)) return refuse(context, id, reason::budget_exhausted);" "")
simulation_mutant(waits_for_each_others_room seats.cpp
  "if (it == own_.begin() && !(for_rest && starved_taking_)) break;"
  "if (it == own_.begin()) break;")
simulation_mutant(borrows_nothing entries.cpp
  "lent = asked.permits == 1 && entries_.empty() && budget_.borrow(settings_.entry_bytes);"
  "lent = false;")
simulation_mutant(lends_to_those_who_want_more entries.cpp
  "lent = asked.permits == 1 && entries_.empty()" "lent = entries_.empty()")
simulation_mutant(keeps_what_it_borrowed entries.cpp
  "if (e.lent) budget_.repay(settings_.entry_bytes);" "")

# Several locks: in the same order everywhere, all or nothing.
simulation_mutant(acquires_in_the_order_given multi_caller.cpp
  "  std::sort(wanted_.begin(), wanted_.end());
" "")
simulation_mutant(holds_a_part multi_caller.cpp
  "held += one && one->held;" "++held;")
simulation_mutant(keeps_what_it_waited_for multi_caller.cpp
  "  for (std::size_t i = 0; i < acquisitions_.size(); ++i)
    if (find(i)) client_.release" "  for (std::size_t i = 0; i + 1 < acquisitions_.size(); ++i)
    if (find(i)) client_.release")
