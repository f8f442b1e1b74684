#include <zklock/testing/error.hpp>
#include <zklock/testing/raw_client.hpp>

#include "chaos/nemesis.hpp"

#include <sstream>

namespace chaos {
namespace {

using namespace std::chrono_literals;
namespace testing = zklock::testing;

std::size_t next(std::size_t server, std::size_t by = 1) {
  return (server + by) % cluster::servers;
}

// Returns the sessions in a reply to `dump`, whose lists of sessions and of ephemeral znodes begin
// each line of interest with a number in hexadecimal.
std::vector<std::int64_t> sessions_in(const std::string& dump) {
  std::set<std::int64_t> all;
  std::istringstream lines(dump);
  for (std::string line; std::getline(lines, line);) {
    const auto begin = line.find("0x");
    if (begin != line.npos && line.find('/') == line.npos)
      all.insert(std::stoll(line.substr(begin), nullptr, 16));
  }
  return {all.begin(), all.end()};
}

// Returns the znodes below a path that have no children.
void find_leaves(testing::raw_client& zk, const std::string& path,
                 std::vector<std::string>& leaves) {
  try {
    const auto children = zk.children(path);
    for (const auto& each : children)
      find_leaves(zk, path + '/' + each, leaves);
    if (children.empty()) leaves.push_back(path);
  } catch (const testing::server_error&) {
    // It is gone.
  }
}

} // namespace

std::size_t nemesis::choose_server(const fault& one) const {
  if (one.kind == fault_kind::fill_disk) return small_disk::server;
  const auto leads = servers_.leader();
  if (!leads) return one.which % cluster::servers;
  return one.leads ? *leads : next(*leads, 1 + one.which % 2);
}

void nemesis::begin_on_servers(const fault& one, past_fault& done) {
  using enum fault_kind;
  if (one.kind == fill_disk && !disk_.exists()) return;
  const auto server = choose_server(one);
  const auto leads = servers_.leader();
  done.servers = {server};
  done.target =
      "server " + std::to_string(server + 1) + (leads == server ? ", the leader" : ", a follower");
  if (one.kind == kill_server || one.kind == lose_quorum) servers_.kill(server);
  if (one.kind == lose_quorum) {
    servers_.kill(next(server));
    done.servers.push_back(next(server));
    done.target += ", and server " + std::to_string(next(server) + 1);
  }
  if (one.kind == restart_server) servers_.stop(server);
  if (one.kind == pause_server) servers_.pause(server);
  if (one.kind == cut_from_peers) servers_.cut_from_peers(server, one.how);
  if (one.kind == cut_from_clients) servers_.cut_from_clients(server, one.how);
  if (one.kind == cut_link) {
    servers_.cut_link(server, next(server), one.how);
    done.servers.push_back(next(server));
    done.target += ", from server " + std::to_string(next(server) + 1);
  }
  if (one.kind == slow_server) servers_.slow_down(server, one.delay);
  if (one.kind == fill_disk) disk_.fill();
}

// Servers that were killed together start one after the other, behind a leader. ZooKeeper 3.8.0 can
// otherwise lose what was committed (ZOOKEEPER-4643): a server that starts takes the
// new epoch before it has all that it lacks. If the leader gives up then, this epoch wins an
// election against a server that starts later and has more, and that one truncates its log. Without
// the later one, the server that was never killed wins, and it has all.
void nemesis::end_on_servers(const fault& one, const past_fault& done) {
  using enum fault_kind;
  if (done.servers.empty()) return;
  if (one.kind == fill_disk) {
    disk_.free();
    // The server has given up, or works on with what it could not write.
    servers_.kill(done.servers[0]);
  }
  if (one.kind == pause_server) servers_.resume(done.servers[0]);
  for (const auto each : done.servers) {
    servers_.heal_server(each);
    servers_.start(each);
    if (one.kind == lose_quorum) servers_.wait_for_leader();
  }
}

void nemesis::begin_on_client(const fault& one, past_fault& done) {
  using enum fault_kind;
  const std::size_t client = one.which;
  done.client = static_cast<int>(client);
  done.target = "client " + std::to_string(client + 1);
  if (one.kind == pause_client) clients_.pause(client);
  if (one.kind == kill_client) clients_.kill(client);
  if (one.kind == cut_client) servers_.cut_client(client, one.how);
  if (one.kind == slow_client) servers_.slow_down_client(client, one.delay);
}

void nemesis::end_on_client(const fault& one) {
  using enum fault_kind;
  const std::size_t client = one.which;
  if (one.kind == pause_client) clients_.resume(client);
  if (one.kind == kill_client) clients_.start(client);
  if (one.kind == cut_client || one.kind == slow_client) servers_.heal_client(client);
}

void nemesis::expire_session(const fault& one, past_fault& done) {
  const auto leads = servers_.leader();
  if (!leads) return;
  const auto sessions = sessions_in(servers_.ask(*leads, "dump"));
  if (sessions.empty()) return;
  const auto session = sessions[one.which % sessions.size()];
  std::ostringstream text;
  text << "session 0x" << std::hex << session;
  done.target = text.str();
  {
    std::lock_guard lock(mutex_);
    by_hand_.expired.emplace(session, boot_time());
  }
  servers_.expire(session);
}

void nemesis::delete_node(const fault& one, past_fault& done) {
  const auto leads = servers_.leader();
  if (!leads) return;
  testing::raw_client zk(servers_.direct_address(*leads), {.session_timeout = 5s, .limit = 5s});
  std::vector<std::string> locks = zk.children("/chaos");
  std::vector<std::string> leaves;
  const auto lock = "/chaos/" + locks.at(one.which % locks.size());
  find_leaves(zk, lock, leaves);
  if (leaves.empty()) return;
  // The one that is first in line, or any.
  const auto node = leaves[one.leads ? 0 : one.which / 64 % leaves.size()];
  // An empty directory.
  if (node == lock || node.ends_with("/locks") || node.ends_with("/leases")) return;
  done.target = node;
  {
    std::lock_guard guard(mutex_);
    by_hand_.deleted.emplace(node, boot_time());
  }
  try {
    zk.remove(node);
  } catch (const testing::server_error&) {
    // It was faster.
    done.target.clear();
  }
}

} // namespace chaos
