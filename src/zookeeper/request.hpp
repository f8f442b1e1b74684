#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace zklock::zookeeper {

/// What the servers said to a request. A request whose answer was lost with the connection gets no
/// reply at all: `session_owner::on_disconnected` stands for all of them.
enum class status {
  ok,
  no_node,
  node_exists,
  no_permission,
  parent_is_ephemeral,
  /// Everything else; `reply::detail` says what.
  failed,
};

/// The answer to one request. What it points to lives until `receiver::on_reply` returns.
struct reply {
  status result = status::ok;

  /// create_entry: the path of the node with the number that the servers gave it.
  std::string_view path;

  /// create_entry, get: the transaction that created the node.
  std::int64_t czxid = 0;

  /// get: the session that owns the node, 0 for nodes that are not ephemeral.
  std::int64_t ephemeral_owner = 0;

  /// list: the names of the children, in no order.
  std::span<const std::string_view> children;

  /// list: how many children the node ever had, -1 where the servers do not tell.
  std::int64_t children_ever = -1;

  /// check: the index of the first path that does not exist, where result is not `ok`.
  std::size_t first_failed = 0;

  /// failed: the C client's name for the error, for logs.
  std::string_view detail;
};

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
