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

/// The watches that the server keeps for a client, and what uses each: a watch without a use is
/// removed. The server and the C client keep one watch for all requests that set the same.
///
/// A watch is used from when the request that sets it is sent until it fires, the request is
/// answered without setting it, the user releases it, or the connection is lost. Requests on a
/// connection are carried out in order: removing affects the watches that were set before, and a
/// request that is sent later sets the watch anew.
class watch_registry {
 public:
  /// What receives the answers of the requests that set the watch.
  using user = const zookeeper::receiver*;

  /// A request that sets a watch is sent.
  void asked(user by, const std::string& path, zookeeper::watch_kind kind);

  /// It was answered, and the watch is set or not.
  void answered(user by, std::string_view path, zookeeper::watch_kind kind, bool set);

  /// It was answered, and set a watch on a node that is gone for good. Such a watch never fires, so
  /// no request can use it: it is removed.
  void answered_too_late(user by, const std::string& path, zookeeper::watch_kind kind,
                         requester& through);

  /// A watch fired: an event that comes before the answer is one of an earlier request.
  void fired(std::string_view path, zookeeper::watch_event event);

  /// Ends all uses of a user, and takes back the watches that nothing else uses.
  void release(user by, requester& through);

  /// Ends all uses of a user of watches that fire soon anyway.
  void leave(user by);

  /// The connection is gone, and the watches with it.
  void clear() noexcept;

  /// A session check begins: the watches are older by one check.
  void begin_check() noexcept { ++checks_; }

  /// Returns whether a watch is older than so many checks: the server has set it on a request that
  /// was sent before them, and it has not fired.
  bool is_older(std::uint64_t checks, std::string_view path, zookeeper::watch_kind kind) const;

  /// Returns the paths of all nodes with such a watch on the node itself.
  std::vector<std::string> nodes_watched_for(std::uint64_t checks) const;

 private:
  struct state {
    /// How many requests are not answered yet.
    std::size_t asked = 0;
    bool set = false;
    /// How many checks had begun when it was first asked for, or when it fired last.
    std::uint64_t since = 0;
  };

  using uses = std::map<std::tuple<user, std::string, zookeeper::watch_kind>, state, std::less<>>;

  uses::iterator first_of(user by);
  void erase(uses::iterator which);
  bool is_used(std::string_view path, zookeeper::watch_kind kind) const;
  bool is_older(std::uint64_t checks, const state& use) const noexcept;

  uses uses_;
  std::unordered_multimap<std::string_view, uses::iterator> by_path_;
  std::uint64_t checks_ = 0;
};

} // namespace zklock::detail
