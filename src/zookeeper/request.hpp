#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace zklock::zookeeper {

/// The result of a request. After the loss of the connection, outstanding requests get no reply:
/// `session_owner::on_disconnected` is called instead, once for all of them.
enum class status {
  ok,
  no_node,
  node_exists,
  bad_version,
  not_empty,
  no_permission,
  parent_is_ephemeral,
  /// Nothing was done, since another request of the transaction in which the request was combined
  /// has failed. The receiver may send it again.
  undone,
  /// Any other error; `reply::error` has its number.
  failed,
};

/// Whether a write has this result only through a committed transaction. A single server may
/// refuse a write by itself: any server can throttle, and with `enableEagerACLCheck` a follower
/// checks access control lists.
constexpr bool is_committed(status result) noexcept {
  return result != status::no_permission && result != status::failed;
}

/// The reply to a request. Its views are valid until `receiver::on_reply` returns.
struct reply {
  status result = status::ok;

  /// create_entry: the path of the node, with its sequence number.
  std::string_view path;

  /// get: the node's data.
  std::string_view data;

  /// get, set, exists: the version of the node's data.
  std::int32_t version = 0;

  /// get: the time of the node's creation on the servers' clock, in milliseconds since 1970.
  std::int64_t created = 0;

  /// create_entry, get: the transaction that created the node.
  std::int64_t czxid = 0;

  /// get, exists: the session that owns the node; 0 if the node is not ephemeral.
  std::int64_t ephemeral_owner = 0;

  /// list: the names of the children, unsorted. list_own: the paths of the nodes, unsorted.
  /// transact: the paths of the created nodes, in the order of the creates.
  std::span<const std::string_view> children;

  /// transact: the zxid of the transaction, which is also the czxid of the created nodes.
  std::int64_t transaction = 0;

  /// list: the number of children ever created, modulo 2^31. All sequence numbers of the children
  /// are less.
  std::int64_t children_ever = 0;

  /// transact: the index of the failed write, if result is not `ok`.
  std::size_t first_failed = 0;

  /// transact: the servers refused the transaction as a whole, not because of a certain write.
  bool is_refused_whole = false;

  /// ZooKeeper's number of the error, for `error_text`.
  int error = 0;
};

/// Whether a reply to a write is the reply of a committed transaction. A transaction that is
/// refused as a whole was not committed, however it failed.
constexpr bool is_committed(const reply& answer) noexcept {
  return is_committed(answer.result) && !answer.is_refused_whole;
}

/// A part of a transaction.
struct write {
  enum class kind : std::uint8_t { create, remove, set, check };

  kind what;
  std::string path;
  /// create, set.
  std::string data{};
  /// remove, set, check: the required version of the node; -1 for any.
  std::int32_t version = -1;
  /// create.
  bool ephemeral = false;
  bool sequential = false;
};

/// The most bytes that a part of a transaction takes besides its path, its data and its access
/// list: a header, two lengths, a version or flags. It takes no more in the servers' log.
inline constexpr std::size_t part_bytes = 32;

// Requests. Their arguments are copied, and must be valid until the call that sends them returns.
//
// With `may_combine` the session may send the request in a transaction, together with the requests
// of handlers that are ready. The reply does not change, except that it may be `status::undone`.

/// Creates a persistent node without data, or a container node.
struct create_directory {
  const std::string& path;
  bool container = false;
};

/// Creates an ephemeral sequential node.
struct create_entry {
  const std::string& path;
  std::string_view data{};
  bool may_combine = false;
};

struct remove {
  const std::string& path;
  bool may_combine = false;
};

/// Lists a node's children. With `watch`, `session_owner::on_watch` is called when the list
/// changes.
struct list {
  const std::string& path;
  bool watch = false;
};

/// Lists the ephemeral nodes of the session, as its server has them. A server that does not know
/// the request closes the connection: `session::lists_own`.
struct list_own {};

/// Reads a node. With `watch`, `session_owner::on_watch` is called when the node is changed or
/// deleted.
struct get {
  const std::string& path;
  bool watch = false;
};

/// Checks whether a node exists. With `watch`, `session_owner::on_watch` is called when the node is
/// created, changed or deleted.
struct exists {
  const std::string& path;
  bool watch = false;
};

/// Replaces a node's data if the node has this version; -1 for any.
struct set {
  const std::string& path;
  std::string_view data;
  std::int32_t version = -1;
};

/// Checks in a single transaction that all nodes of a list exist.
struct check {
  std::span<const std::string> paths;
};

/// Does all writes in a single transaction, or no write. With `may_combine` no write is a create.
struct transact {
  std::span<const write> writes;
  bool may_combine = false;
};

/// Commits a transaction that changes nothing. No access control list forbids it.
struct confirm {};

using request = std::variant<create_directory, create_entry, remove, list, list_own, get, exists,
                             set, check, transact, confirm>;

/// The kinds of watches: on a node's data and existence, or on its children.
enum class watch_kind : std::uint8_t { node, children };

/// The event that triggers a watch. `deleted` triggers watches of both kinds.
enum class watch_event : std::uint8_t { node, children, deleted };

/// Identifies a request to its receiver, which chooses both numbers.
struct request_tag {
  int what = 0;
  std::uint64_t which = 0;
};

/// Receives the replies to requests, in the order of the requests. Called on the session's strand,
/// never inside a call of the C client.
class receiver {
 public:
  virtual void on_reply(request_tag tag, const reply& answer) noexcept = 0;

 protected:
  ~receiver() = default;
};

} // namespace zklock::zookeeper
