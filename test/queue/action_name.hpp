#pragma once

#include "queue/action.hpp"

namespace zklock::test {

/// The name of an action in the expected results of tests.
constexpr const char* name_of(queue::action::kind what) noexcept {
  using kind = queue::action::kind;
  switch (what) {
  case kind::make_directory:
    return "make directory";
  case kind::make_parents:
    return "make parents";
  case kind::create:
    return "create";
  case kind::list:
    return "list";
  case kind::sync_and_list:
    return "sync and list";
  case kind::list_and_watch:
    return "list and watch";
  case kind::remove:
  case kind::remove_orphan:
    return "delete";
  case kind::downgrade:
    return "downgrade";
  case kind::take:
    return "take";
  case kind::remove_permits:
    return "delete permits";
  case kind::remove_orphan_permit:
    return "delete permit";
  case kind::list_permits:
    return "list permits";
  case kind::inspect_permit:
    return "inspect permit";
  case kind::ask_limit:
    return "ask limit";
  case kind::inspect:
    return "inspect";
  case kind::watch:
    return "watch";
  case kind::watch_data:
    return "watch data";
  case kind::watch_directory:
    return "watch directory";
  case kind::confirm:
    return "confirm";
  case kind::check:
    return "check";
  case kind::grant:
    return "grant";
  case kind::downgraded:
    return "downgraded";
  case kind::refuse:
    return "refuse";
  case kind::lose:
    return "lose";
  case kind::forget:
    return "forget";
  }
  return "?";
}

} // namespace zklock::test
