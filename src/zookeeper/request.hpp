#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace zklock::zookeeper {

/// What the servers said to a request. A request whose answer was lost with the connection gets no
/// reply at all: `session_owner::on_disconnected` stands for all of them.
enum class status {
  ok,
  no_node,
  node_exists,
  bad_version,
  not_empty,
  no_permission,
  parent_is_ephemeral,
  /// Everything else; `reply::detail` says what.
  failed,
};

/// Whether only a transaction of the quorum gives a write this answer. Some refusals are a single
/// server's own: with `enableEagerACLCheck` a follower denies what its access lists forbid, and any
/// server throttles.
constexpr bool is_committed(status result) noexcept {
  return result != status::no_permission && result != status::failed;
}

/// The answer to one request. What it points to lives until `receiver::on_reply` returns.
struct reply {
  status result = status::ok;

  /// create_entry: the path of the node with the number that the servers gave it.
  std::string_view path;

  /// get: the node's data.
  std::string_view data;

  /// get, set, exists: how often the node's data was replaced.
  std::int32_t version = 0;

  /// get: when the node was created, on the servers' clock, in milliseconds since 1970.
  std::int64_t created = 0;

  /// create_entry, get: the transaction that created the node.
  std::int64_t czxid = 0;

  /// get: the session that owns the node, 0 for nodes that are not ephemeral.
  std::int64_t ephemeral_owner = 0;

  /// list: the names of the children, in no order. transact: the paths of the nodes that were
  /// created, in the order of their creates.
  std::span<const std::string_view> children;

  /// transact: the id of the transaction, which is also the czxid of all that it created; 0 where
  /// it set no data, since then the C client does not tell.
  std::int64_t transaction = 0;

  /// list: how many children the node ever had; of more than 2^31 the remainder. All numbers that
  /// the servers gave to its children are less.
  std::int64_t children_ever = 0;

  /// transact: the index of the write that failed, where result is not `ok`.
  std::size_t first_failed = 0;

  /// failed: the C client's name for the error, for logs.
  std::string_view detail;
};

/// One part of a transaction.
struct write {
  enum class kind : std::uint8_t { create, remove, set, check };

  kind what;
  std::string path;
  /// create, set.
  std::string data{};
  /// remove, set, check: what version the node must have; -1 for any.
  std::int32_t version = -1;
  /// create.
  bool ephemeral = false;
  bool sequential = false;
};

// Requests. What they refer to must live until they are sent; the C client copies it.

/// Creates a persistent node without data; a container where `container` says so.
struct create_directory {
  const std::string& path;
  bool container = false;
};

/// Creates an ephemeral node; the servers append a number to the path.
struct create_entry {
  const std::string& path;
  std::string_view data{};
};

struct remove {
  const std::string& path;
};

/// Lists a node's children; with `watch`, `session_owner::on_watch` is called once the list
/// changes.
struct list {
  const std::string& path;
  bool watch = false;
};

/// Asks for a node; with `watch`, `session_owner::on_watch` is called once it changes or goes.
struct get {
  const std::string& path;
  bool watch = false;
};

/// Asks whether a node exists; with `watch`, `session_owner::on_watch` is called once it does, or
/// it changes or goes.
struct exists {
  const std::string& path;
  bool watch = false;
};

/// Replaces a node's data, where its version is the given one; -1 for any.
struct set {
  const std::string& path;
  std::string_view data;
  std::int32_t version = -1;
};

/// Checks in one transaction of the quorum that all these nodes exist.
struct check {
  std::span<const std::string> paths;
};

/// Does all of this in one transaction of the quorum, or nothing.
struct transact {
  std::vector<write> writes;
};

/// Has the quorum commit a transaction that changes nothing, which no access list denies.
struct confirm {};

using request = std::variant<create_directory, create_entry, remove, list, get, exists, set, check,
                             transact, confirm>;

/// What a watch is on: a node's data and whether it exists, or its children.
enum class watch_kind : std::uint8_t { node, children };

/// Why a watch fired. A node that is deleted fires those of both kinds.
enum class watch_event : std::uint8_t { node, children, deleted };

/// Tells a receiver which of its requests was answered: two numbers of its own choice.
struct request_tag {
  int what = 0;
  std::uint64_t which = 0;
};

/// Gets the answers to requests. Called on the session's strand, never inside a call of the C
/// client, in the order in which the requests were made.
class receiver {
 public:
  virtual void on_reply(request_tag tag, const reply& answer) noexcept = 0;

 protected:
  ~receiver() = default;
};

} // namespace zklock::zookeeper
