#pragma once

#include "tree.hpp"
#include "zookeeper/request.hpp"

#include <cstddef>
#include <deque>
#include <string>
#include <variant>
#include <vector>

namespace simulation {

using zklock::zookeeper::status;

/// A part of a transaction.
struct part {
  zklock::zookeeper::write::kind what;
  std::size_t directory;
  std::string name;
  /// create.
  std::string identity = {};
};

struct request {
  enum class kind : std::uint8_t {
    make_directory,
    /// Make the parent of the directory.
    make_parent,
    /// Make the directory and its parent.
    make_parents,
    create,
    /// Create the node `replacement`, which is not numbered, beside `name`.
    create_reader,
    /// All `parts` or none.
    transaction,
    remove,
    sync,
    list,
    /// List the directory, and watch the list.
    list_and_watch,
    ask_limit,
    exists,
    watch,
    watch_directory,
    /// Watch no longer: a child, the directory, or its list.
    remove_watch,
  };

  kind what = kind::sync;
  std::size_t directory = 0;
  /// The child's name; of a create, without the number.
  std::string name = {};
  std::string replacement = {};
  /// create: the data of the node.
  std::string identity = {};
  std::vector<part> parts = {};
  /// Whether the session may combine the request with requests of other locks in a transaction.
  bool may_combine = false;
  /// remove_watch: the list of the directory.
  bool of_list = false;
  role wants = role::exclusive;
  /// Whose nodes are created, where the session is a client's of ours.
  entry_id entry = 0;
  /// The receiver of the reply; null if no receiver wants it.
  zklock::zookeeper::receiver* to = nullptr;
  zklock::zookeeper::request_tag tag = {};

  bool is_write() const noexcept { return what <= kind::sync; }
};

struct reply {
  request to = {};
  status result = status::ok;
  sequence number = 0;
  std::int64_t czxid = 0;
  std::vector<node_id> children = {};
  std::int64_t children_ever = 0;
  std::uint32_t limit = 0;
  /// exists: whether the data of the node was changed.
  bool is_changed = false;
  /// Of a transaction, where it failed: which part.
  std::size_t first_failed = 0;
};

/// The operations that a directory may refuse.
enum class permission : std::uint8_t { create, remove, read };

/// A watch fired.
struct event {
  std::size_t directory;
  node_id node;
  /// Empty: the directory itself.
  std::string name = {};
  bool deleted;
};

using message = std::variant<reply, event>;

/// A request that the server has not answered yet: a write whose transaction has not reached this
/// server, or a read that waits for such a write.
struct pending {
  reply outcome;
  /// How many transactions the server must have applied before.
  std::size_t needs = 0;
};

/// The connection of a client to its server: FIFO in both directions.
struct connection {
  session_id session = 0;
  std::size_t server = 0;
  /// Whether the server sends anything on it.
  bool up = false;
  /// Whether the leader has taken late requests of an earlier connection for newer requests. The
  /// leader refuses the next request of this connection.
  bool moved = false;
  std::deque<request> sent = {};
  std::deque<pending> taken = {};
  std::deque<message> received = {};
};

const char* to_string(request::kind what) noexcept;
const char* to_string(status result) noexcept;

} // namespace simulation
