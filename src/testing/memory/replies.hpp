#pragma once

#include "testing/memory/requests.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace zklock::testing::memory {

/// ZooKeeper's error codes.
enum class code : std::int32_t {
  ok = 0,
  runtime_inconsistency = -2,
  marshalling_error = -5,
  unimplemented = -6,
  bad_arguments = -8,
  no_node = -101,
  no_auth = -102,
  bad_version = -103,
  no_children_for_ephemerals = -108,
  node_exists = -110,
  not_empty = -111,
  session_expired = -112,
  invalid_acl = -114,
  auth_failed = -115,
  session_moved = -118,
  not_read_only = -119,
  no_watcher = -121,
  session_closed = -124,
  throttled = -127,
};

struct created_reply {
  operation kind = operation::create;
  std::string path{};
  /// On the wire in replies to all types but `operation::create`.
  node_stat stat{};
};

struct stat_reply {
  node_stat stat{};
};

struct data_reply {
  node_data data{};
  node_stat stat{};
};

struct children_reply {
  std::vector<std::string> names{};
  std::optional<node_stat> stat{};
};

struct acl_reply {
  std::vector<access> acl{};
  node_stat stat{};
};

struct path_reply {
  std::string path{};
};

/// An identity of a connection: an authentication scheme and an id.
struct identity {
  std::string scheme{};
  std::string id{};
};

struct whoami_reply {
  std::vector<identity> identities{};
};

/// The result of a part of a transaction. The operation is `operation::unknown` for an error.
struct part_result {
  operation kind = operation::unknown;
  code error = code::ok;
  std::variant<std::monostate, created_reply, stat_reply, data_reply, children_reply> body{};
};

struct multi_reply {
  std::vector<part_result> parts{};
};

using reply_body = std::variant<std::monostate, created_reply, stat_reply, data_reply,
                                children_reply, acl_reply, path_reply, whoami_reply, multi_reply>;

/// The types of events, with their numbers on the wire.
enum class event_type : std::int32_t { created = 1, deleted = 2, changed = 3, children = 4 };

/// A change of the tree, for the watches.
struct tree_event {
  event_type type = event_type::created;
  std::string path{};
  /// The event is sent to connections that this list permits to read; to all if it is empty.
  std::vector<access> acl{};
};

/// The result of a request. Without an error it has a body, if replies to this type have a body.
struct outcome {
  code error = code::ok;
  reply_body body{};
  /// The changes, in the order in which the servers send their events.
  std::vector<tree_event> events{};
};

/// A session with the identities of its connection.
struct session_info {
  std::int64_t id = 0;
  std::vector<identity> identities{};
};

} // namespace zklock::testing::memory
