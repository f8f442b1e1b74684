#pragma once

#include "queue/action.hpp"
#include "tree.hpp"

#include <cstddef>
#include <deque>
#include <string>
#include <variant>
#include <vector>

namespace simulation {

using zklock::queue::answer;

struct request {
  enum class kind : std::uint8_t {
    make_directory,
    make_parents,
    create,
    /// Create the node `replacement`, which is not numbered, beside `name`.
    create_reader,
    /// Replace `name` by `replacement`, at once.
    downgrade,
    /// Replace `name` by the nodes `permits` of the directory `beside`, at once.
    take,
    remove,
    check,
    sync,
    list,
    /// List the directory, and watch the list.
    list_and_watch,
    ask_limit,
    exists,
    watch,
    watch_directory,
  };

  kind what = kind::sync;
  std::size_t directory = 0;
  /// The child's name; of a create, without the number.
  std::string name = {};
  std::string replacement = {};
  std::size_t beside = 0;
  std::vector<std::string> permits = {};
  /// What must exist, or nothing is done; of a check alone `name` may be empty.
  std::vector<std::string> checks = {};
  std::vector<zklock::queue::named_entry> checked = {};
  role wants = role::exclusive;
  /// For who asks, to know the answer by.
  entry_id entry = 0;
  int purpose = 0;

  bool is_write() const noexcept { return what <= kind::sync; }
};

struct reply {
  request to = {};
  answer result = answer::ok;
  sequence number = 0;
  std::int64_t czxid = 0;
  std::vector<node_id> children = {};
  std::int64_t children_ever = 0;
  std::uint32_t limit = 0;
  /// Of a transaction: whether it failed for want of what it was to replace.
  bool no_entry = false;
  /// Of a transaction with checks, where it failed: which one, or behind all.
  std::size_t first_failed = 0;
};

/// What a directory may refuse.
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

/// A request that the server has, but has not answered: the leader's outcome of a write, whose
/// transaction has not reached the server yet, or a read that waits for such a write.
struct pending {
  reply outcome;
  /// How many transactions the server must have applied before.
  std::size_t needs = 0;
};

/// What is between a client and its server. First in, first out, both ways.
struct connection {
  session_id session = 0;
  std::size_t server = 0;
  /// Whether the server sends anything on it.
  bool up = false;
  std::deque<request> sent = {};
  std::deque<pending> taken = {};
  std::deque<message> received = {};
};

const char* to_string(request::kind what) noexcept;
const char* to_string(answer result) noexcept;

} // namespace simulation
