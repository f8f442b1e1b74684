#include "client/check_list.hpp"

#include "client/node_path.hpp"
#include "queue/entry_name.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace zklock::detail {

using zookeeper::watch_kind;

// The largest number of nodes in a transaction: enough to make many locks cheap.
constexpr std::size_t checks_at_once = 128;

// Even young entries, whose creation proves the session, are checked: another client may have
// deleted them. Checks of awaited nodes take the place of a confirm: a round of few checks has no
// more requests, but for the lists of permits.
void check_list::collect() {
  for (const auto& [line, used] : locks_.table())
    for (const auto& [entry, form] : used->driver().collect(paths_))
      nodes_.push_back({used->driver().lock(), entry, form});
  locks_.requester().watches().begin_check();
  for (auto& path : awaited_entries()) {
    nodes_.push_back({.watched = watch_kind::node});
    paths_.push_back(std::move(path));
  }
  unlisted_ = awaited_directories();
}

void check_list::clear() noexcept {
  unlisted_.clear();
  nodes_.clear();
  paths_.clear();
}

std::span<const std::string> check_list::next() const noexcept {
  const auto all = std::span(paths_).first(std::min(paths_.size(), checks_at_once));
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    bytes += all[i].size() + zookeeper::part_bytes;
    if (i != 0 && bytes > session_.get().most_bytes()) return all.first(i);
  }
  return all;
}

void check_list::listed(const zookeeper::reply& reply) {
  for (const auto name : reply.children) {
    nodes_.push_back({.watched = watch_kind::children});
    paths_.push_back(unlisted_.back() + '/' + std::string(name));
  }
  unlisted_.pop_back();
}

check_list::node check_list::take(std::size_t count, const zookeeper::reply& reply) {
  const bool all = reply.result == zookeeper::status::ok;
  const auto done = all ? count : std::min(reply.first_failed + 1, count);
  node last = std::move(nodes_[done - 1]);
  last.path = std::move(paths_[done - 1]);
  const auto end = static_cast<std::ptrdiff_t>(done);
  nodes_.erase(nodes_.begin(), nodes_.begin() + end);
  paths_.erase(paths_.begin(), paths_.begin() + end);
  return last;
}

void check_list::missing(const node& gone) {
  if (!gone.lock) return awaited_is_missing(gone.path, gone.watched);
  // By now the lock may be forgotten, or be another lock.
  if (auto* const driver = locks_.find_driver(*gone.lock)) driver->missing(gone.entry, gone.form);
}

// The number of rounds that begin in two session timeouts, rounded up: a node is checked once its
// watch is older.
std::uint64_t check_list::rounds() const noexcept {
  const auto interval = timing_.interval(session_.timeout());
  const auto time = 2 * session_.timeout() + interval - std::chrono::milliseconds(1);
  return static_cast<std::uint64_t>(time / interval);
}

// No acquisition waits for the deletion of a directory or of a limit's node. The client's own
// entries are watched for another reason, even before they exist or after they are deleted, and are
// checked separately.
std::vector<std::string> check_list::awaited_entries() const {
  auto found = locks_.requester().watches().nodes_watched_for(rounds());
  std::erase_if(found, [&](const std::string& path) {
    const auto parsed = queue::parse_entry_name(name_of(path));
    return !parsed || (parsed->has_id && parsed->token == locks_.requester().token());
  });
  return found;
}

std::vector<std::string> check_list::awaited_directories() const {
  std::vector<std::string> found;
  for (const auto& [line, used] : locks_.table()) {
    const auto& lock = *used->driver().lock();
    if (used->driver().state().lacks_permits() &&
        locks_.requester().watches().is_older(rounds(), lock.permits, watch_kind::children))
      found.push_back(lock.permits);
  }
  return found;
}

// The leader orders a transaction that fails as it orders any other: the node did not exist at the
// zxid of the failed check. The server of this client applies transactions in that order. When it
// applies a delete it sends the events of the watches that are set, and when it applies a
// transaction of this session it sends the reply, on this connection. So the event of a delete that
// the server has applied before the check comes before this reply, as long as the watch was set
// then. The watch was set: it was set before the check was sent, and has not fired since. A watch
// that is set now, too, therefore is on a node that this server alone has: the quorum has deleted
// the node, or never had it. No event would ever end the wait.
//
// The argument holds for a permit, too. The permit was listed while the watch on its directory was
// set already, and a delete after that list fires the watch.
//
// The next connection goes to another server, as long as another server answers, and lists again.
void check_list::awaited_is_missing(std::string_view path, watch_kind by) {
  const auto watched = by == watch_kind::node ? path : path.substr(0, path.rfind('/'));
  if (locks_.requester().watches().is_older(rounds(), watched, by))
    session_.get().reject_server("it has a node that the quorum has not: " + std::string(path));
}

} // namespace zklock::detail
