#include "client/long_waits.hpp"

#include "client/node_path.hpp"
#include "queue/entry_name.hpp"

#include <chrono>

namespace zklock::detail {

using zookeeper::watch_kind;

// The number of rounds that begin in two session timeouts, rounded up.
std::uint64_t long_waits::rounds() const noexcept {
  const auto interval = timing_.interval(session_.timeout());
  const auto time = 2 * session_.timeout() + interval - std::chrono::milliseconds(1);
  return static_cast<std::uint64_t>(time / interval);
}

void long_waits::begin_round() noexcept {
  locks_.requester().watches().begin_check();
}

// No acquisition waits for the deletion of a directory or of a limit's node. The client's own
// entries are watched for another reason, even before they exist or after they are deleted, and are
// checked separately.
std::vector<std::string> long_waits::entries() const {
  auto found = locks_.requester().watches().nodes_watched_for(rounds());
  std::erase_if(found, [&](const std::string& path) {
    const auto parsed = queue::parse_entry_name(name_of(path));
    return !parsed || (parsed->has_id && parsed->token == locks_.requester().token());
  });
  return found;
}

std::vector<std::string> long_waits::directories() const {
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
void long_waits::missing(std::string_view path, watch_kind by) {
  const auto watched = by == watch_kind::node ? path : path.substr(0, path.rfind('/'));
  if (locks_.requester().watches().is_older(rounds(), watched, by))
    session_.get().reject_server("it has a node that the quorum has not: " + std::string(path));
}

} // namespace zklock::detail
