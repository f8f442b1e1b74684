#include "connection.hpp"

namespace simulation {

const char* to_string(request::kind what) noexcept {
  switch (what) {
  case request::kind::make_directory:
    return "make directory";
  case request::kind::make_parent:
    return "make parent";
  case request::kind::make_parents:
    return "make parents";
  case request::kind::create:
    return "create";
  case request::kind::create_reader:
    return "create reader";
  case request::kind::transaction:
    return "transaction";
  case request::kind::list_and_watch:
    return "list and watch";
  case request::kind::ask_limit:
    return "ask for the limit";
  case request::kind::remove:
    return "delete";
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
  case request::kind::remove_watch:
    return "watch no longer";
  }
  return "?";
}

const char* to_string(status result) noexcept {
  switch (result) {
  case status::ok:
    return "ok";
  case status::no_node:
    return "no node";
  case status::no_permission:
    return "no permission";
  case status::parent_is_ephemeral:
    return "parent is ephemeral";
  case status::node_exists:
    return "node exists";
  case status::undone:
    return "undone";
  default:
    return "failed";
  }
  return "?";
}

} // namespace simulation
