#pragma once

#include "testing/memory/znode_tree.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace zklock::testing::memory {

/// The number of a connection of a server.
using connection_id = std::uint64_t;

/// An event and the connection that it is sent to.
struct addressed_event {
  connection_id connection = 0;
  tree_event event{};
};

/// The watches of a server's connections. A watch is gone after its first event.
class watch_table {
 public:
  /// Sets the watch that a read asks for, after the read has had this result.
  void add(connection_id connection, const read_request& request, const outcome& result);

  /// Returns the events that the changes of a write cause, in the order in which they are sent. A
  /// server sends an event only if `tree_event::acl` permits it.
  std::vector<addressed_event> trigger(const std::vector<tree_event>& changes);

  /// Sets watches again after a reconnect. Returns the events that the client has missed.
  std::vector<tree_event> set_again(connection_id connection, const set_watches_request& request,
                                    const znode_tree& tree);

  /// Finds or removes a watch: `ok` or `no_watcher`.
  code find(connection_id connection, const find_watch_request& request);

  /// Removes the watches of a closed connection.
  void remove(connection_id connection);

  /// Returns the paths of all watches with their connections.
  std::map<std::string, std::set<connection_id>> by_path() const;

  /// Returns the number of watches.
  std::size_t size() const;

 private:
  /// The watches for data and existence, or the watches for children.
  class watches {
   public:
    void add(connection_id connection, const std::string& path);
    bool remove(connection_id connection, const std::string& path);
    void remove(connection_id connection);
    bool contains(const std::string& path) const { return by_path_.contains(path); }
    const std::map<std::string, std::set<connection_id>>& by_path() const { return by_path_; }
    std::set<connection_id> take(const std::string& path);
    std::size_t size() const;

   private:
    std::map<std::string, std::set<connection_id>> by_path_;
    std::map<connection_id, std::set<std::string>> by_connection_;
  };

  void add_part(connection_id connection, const exists_request& request, code error);
  void add_part(connection_id connection, const get_data_request& request, code error);
  void add_part(connection_id connection, const get_children_request& request, code error);

  watches data_;
  watches children_;
};

} // namespace zklock::testing::memory
