#pragma once

#include "zookeeper/request.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace zklock::detail {

class requester;

/// The watches that the server has for a client, with the users of each watch: a watch without a
/// user is removed. The server and the C client have a single watch for all requests with an equal
/// path and kind. A watch is used from when the request that sets it is sent until it fires, the
/// request is answered without setting it, the user releases it, or the connection is lost.
class watch_registry {
 public:
  /// The object that a watch is for.
  using user = const void*;

  /// A request that sets a watch is sent.
  void asked(user by, const std::string& path, zookeeper::watch_kind kind);

  /// The request was answered. `set`: whether the request has set the watch.
  void answered(user by, std::string_view path, zookeeper::watch_kind kind, bool set);

  /// A watch fired. An event before the reply to a request belongs to an earlier request.
  void fired(std::string_view path, zookeeper::watch_event event);

  /// Ends all uses of a user, and removes the watches that no other user has.
  void release(user by, requester& through);

  /// Ends a single use of a user. Removes the watch if no other user has it.
  void release(user by, const std::string& path, zookeeper::watch_kind kind, requester& through);

  /// A watch that is set is for another user from now on.
  void pass_on(user from, user to, const std::string& path, zookeeper::watch_kind kind);

  /// Ends all uses of a user, but leaves the watches, which fire soon anyway.
  void leave(user by);

  /// The connection is gone, and the watches with it.
  void clear() noexcept;

  /// A session check begins: all watches age by a check.
  void begin_check() noexcept { ++checks_; }

  /// Returns whether a watch is older than so many checks: the server has set the watch on a
  /// request that was sent before the checks, and the watch has not fired.
  bool is_older(std::uint64_t checks, std::string_view path, zookeeper::watch_kind kind) const;

  /// Returns the paths of all nodes with a watch of this age on the node itself.
  std::vector<std::string> nodes_watched_for(std::uint64_t checks) const;

 private:
  struct state {
    /// How many requests are not answered yet.
    std::size_t asked = 0;
    bool set = false;
    /// How many checks had begun when the watch was first asked for, or when it fired last.
    std::uint64_t since = 0;
  };

  using uses = std::map<std::tuple<user, std::string, zookeeper::watch_kind>, state, std::less<>>;

  uses::iterator first_of(user by);
  void release(uses::iterator which, requester& through);
  void erase(uses::iterator which);
  bool is_used(std::string_view path, zookeeper::watch_kind kind) const;
  bool is_older(std::uint64_t checks, const state& use) const noexcept;

  uses uses_;
  std::unordered_multimap<std::string_view, uses::iterator> by_path_;
  std::uint64_t checks_ = 0;
};

} // namespace zklock::detail
