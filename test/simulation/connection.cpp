#include "connection.hpp"

namespace simulation {

const char* to_string(request::kind what) noexcept {
  switch (what) {
  case request::kind::make_directory:
    return "make directory";
  case request::kind::make_parents:
    return "make parents";
  case request::kind::create:
    return "create";
  case request::kind::create_reader:
    return "create reader";
  case request::kind::downgrade:
    return "downgrade";
  case request::kind::take:
    return "take";
  case request::kind::list_and_watch:
    return "list and watch";
  case request::kind::ask_limit:
    return "ask for the limit";
  case request::kind::remove:
    return "delete";
  case request::kind::check:
    return "check";
  case request::kind::sync:
    return "sync";
  case request::kind::list:
    return "list";
  case request::kind::exists:
    return "exists";
  case request::kind::watch:
    return "watch";
  case request::kind::watch_directory:
    return "watch directory";
  }
  return "?";
}

const char* to_string(answer result) noexcept {
  switch (result) {
  case answer::ok:
    return "ok";
  case answer::no_node:
    return "no node";
  case answer::no_permission:
    return "no permission";
  case answer::parent_is_ephemeral:
    return "parent is ephemeral";
  case answer::failed:
    return "failed";
  }
  return "?";
}

} // namespace simulation
