#pragma once

#include <zklock/testing/node.hpp>
#include <zklock/testing/operation.hpp>

#include "testing/access.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace zklock::testing::memory {

/// The data of a node: ZooKeeper tells null from empty data.
using node_data = std::optional<std::string>;

// Writes, which a leader orders.

/// The flags of a create request that make a container.
constexpr std::int32_t container_flags = 4;

/// Returns whether the flags of a create request give the node a time to live.
constexpr bool has_time_to_live(std::int32_t flags) {
  return flags == 5 || flags == 6;
}

/// Creates a node. `kind` is any of the four types of create requests.
struct create_request {
  operation kind = operation::create;
  std::string path{};
  node_data data{};
  std::vector<access> acl{};
  std::int32_t flags = 0;
  std::int64_t ttl = -1;
};

struct remove_request {
  std::string path{};
  std::int32_t version = -1;
};

struct set_data_request {
  std::string path{};
  node_data data{};
  std::int32_t version = -1;
};

struct set_acl_request {
  std::string path{};
  std::vector<access> acl{};
  std::int32_t version = -1;
};

/// Checks the version of a node: a part of a transaction.
struct check_request {
  std::string path{};
  std::int32_t version = -1;
};

using multi_part = std::variant<create_request, remove_request, set_data_request, check_request>;

struct multi_request {
  std::vector<multi_part> parts{};
};

/// Begins the session of `session_info::id`.
struct create_session_request {
  /// The negotiated session timeout, in milliseconds.
  std::int32_t timeout = 0;
};

/// Ends the session of `session_info::id`, and deletes its ephemeral nodes.
struct close_session_request {};

/// Deletes an empty container. The servers order it themselves.
struct reap_request {
  std::string path{};
};

using write_request =
    std::variant<create_request, remove_request, set_data_request, set_acl_request, multi_request,
                 create_session_request, close_session_request, reap_request>;

// Reads of a tree.

struct exists_request {
  std::string path{};
  bool watch = false;
};

struct get_data_request {
  std::string path{};
  bool watch = false;
};

struct get_acl_request {
  std::string path{};
};

/// Lists children, with the stat structure of the node for the type `get_children2`.
struct get_children_request {
  std::string path{};
  bool watch = false;
  bool with_stat = false;
};

/// Lists the ephemeral nodes of the session whose paths begin so.
struct get_ephemerals_request {
  std::string prefix{};
};

struct multi_read_request {
  std::vector<std::variant<get_data_request, get_children_request>> parts{};
};

using read_request = std::variant<exists_request, get_data_request, get_acl_request,
                                  get_children_request, get_ephemerals_request, multi_read_request>;

// Requests that a server answers without its tree, or with its watches.

/// The first frame of a connection.
struct connect_request {
  std::int64_t last_zxid_seen = 0;
  std::int32_t timeout = 0;
  std::int64_t session_id = 0;
  std::string password{};
  /// Whether the client sends the flag at all: clients before version 3.4 do not.
  bool has_read_only = false;
  bool read_only = false;
};

struct ping_request {};

struct sync_request {
  std::string path{};
};

struct auth_request {
  std::string scheme{};
  std::string credentials{};
};

/// Sets watches again after a reconnect.
struct set_watches_request {
  std::int64_t relative_zxid = 0;
  std::vector<std::string> data{};
  std::vector<std::string> exist{};
  std::vector<std::string> children{};
};

/// The kinds of watches in requests that check or remove them.
enum class watcher_type : std::int32_t { children = 1, data = 2, any = 3 };

/// Asks whether the connection has a watch, and removes it on request.
struct find_watch_request {
  std::string path{};
  watcher_type type = watcher_type::any;
  bool remove = false;
};

struct whoami_request {};

/// A request of a type that the servers of this folder refuse.
struct unsupported_request {
  std::int32_t kind = 0;
};

/// A request whose body cannot be decoded.
struct malformed_request {};

using local_request =
    std::variant<ping_request, sync_request, auth_request, set_watches_request, find_watch_request,
                 whoami_request, unsupported_request, malformed_request>;

/// A request after the first frame of a connection.
struct request {
  std::int32_t xid = 0;
  std::variant<write_request, read_request, local_request> body{};
};

} // namespace zklock::testing::memory
