#include <zklock/testing/error.hpp>

#include "chaos/finals.hpp"
#include "chaos/nemesis.hpp"
#include "support/raw_client.hpp"

#include <algorithm>
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
  if (one.kind == restore_data) begin_restore(one, done);
  if (one.kind == demand_authentication) begin_demand(one, done);
}

// Servers that were killed together start in turn, behind a leader. ZooKeeper 3.8.0 can otherwise
// lose commits (ZOOKEEPER-4643): a server that starts takes the new epoch before it has all writes
// that it lacks. If the leader gives up then, this epoch wins an election against a later server
// with more writes, and the later server truncates its log. Without the later server, the server
// that was never killed wins, and it has all writes.
void nemesis::end_on_servers(const fault& one, const past_fault& done) {
  using enum fault_kind;
  if (done.servers.empty()) return;
  if (one.kind == restore_data) return end_restore();
  if (one.kind == demand_authentication) return end_demand(done);
  if (one.kind == fill_disk) {
    disk_.free();
    // The server has given up, or works on although it could not write.
    servers_.kill(done.servers[0]);
  }
  if (one.kind == pause_server) servers_.resume(done.servers[0]);
  for (const auto each : done.servers) {
    servers_.heal_server(each);
    servers_.start(each);
    if (one.kind == lose_quorum) servers_.wait_for_leader();
  }
}

// Writes that servers lose when they are killed while they catch up are in no log: the loss could
// not be told from a fault of a client.
void nemesis::kill_in_turns(const fault& one, past_fault& done) {
  const auto turns = cluster::servers + one.which % cluster::servers;
  done.target = std::to_string(turns) + " turns";
  for (std::size_t i = 0; i < cluster::servers; ++i)
    done.servers.push_back(i);
  bool goes_on = true;
  for (std::size_t turn = 0; turn < turns && goes_on; ++turn) {
    const auto server = next(one.which % cluster::servers, turn);
    servers_.kill(server);
    goes_on = sleep_until(std::chrono::steady_clock::now() + 3s);
    servers_.start(server);
    goes_on = goes_on && wait_until_settled();
  }
}

// Servers that all were down start in turn, as above.
void nemesis::start_in_order(const std::vector<std::size_t>& servers) {
  for (std::size_t i = 0; i < servers.size(); ++i) {
    servers_.start(servers[i]);
    if (i == 1) servers_.wait_for_leader();
  }
}

// The leader has all committed writes: it stops last, so that its followers cannot elect another
// leader, and starts first. The servers must have settled.
void nemesis::restart(std::vector<std::size_t> servers) {
  if (const auto leads = servers_.leader(); leads && servers.size() > 1)
    std::rotate(servers.begin(), std::find(servers.begin(), servers.end(), *leads), servers.end());
  for (auto each = servers.rbegin(); each != servers.rend(); ++each)
    servers_.stop(*each);
  start_in_order(servers);
}

// A third of the restores finds nothing. Before another third the leader changes, so that the
// servers give out the zxids of their next epoch a second time.
void nemesis::begin_restore(const fault& one, past_fault& done) {
  done.servers = {0, 1, 2};
  done.target = "all servers, empty";
  copy_.reset();
  kept_until_ = 0;
  if (one.which % 3 == 0) return;
  done.target = "all servers, from a copy";
  kept_until_ = boot_time();
  copy_.emplace(servers_, folder_ / "copy");
  if (one.which % 3 == 1) return;
  done.target += " of an earlier epoch";
  if (const auto leads = servers_.leader()) restart({*leads});
  servers_.wait_for_leader();
}

// Clients are kept out until the directories are there that kazoo does not make again.
void nemesis::end_restore() {
  clients_.dismiss_kazoo();
  restore all{.kept_until = kept_until_, .when = {boot_time(), never}};
  for (std::size_t i = 0; i < cluster::servers; ++i)
    servers_.kill(i);
  all.when.end = boot_time();
  logged_.merge(read_logs(servers_.data_of_all()));
  restores_.push_back(all);
  for (std::size_t i = 0; i < cluster::servers; ++i) {
    if (copy_)
      copy_->put_back(i);
    else
      wipe_data(servers_, i);
    servers_.cut_from_clients(i, testing::cut::closed);
  }
  start_in_order({0, 1, 2});
  prepare_znodes(servers_);
  for (std::size_t i = 0; i < cluster::servers; ++i)
    servers_.heal_server(i);
  clients_.recall_kazoo();
}

// If a single server demands authentication, clients go to another server.
void nemesis::begin_demand(const fault& one, past_fault& done) {
  clients_.dismiss_kazoo();
  may_demand_ = true;
  if (one.which % 3 != 0) {
    done.servers = {0, 1, 2};
    done.target = "all servers";
    demands_.push_back({boot_time(), never});
  }
  servers_.demand_authentication(true);
  restart(done.servers);
}

// The servers settle also where the run is over: commits that the servers lose by a stop could not
// be told from a fault of a client.
void nemesis::end_demand(const past_fault& done) {
  servers_.demand_authentication(false);
  servers_.settle();
  restart(done.servers);
  may_demand_ = false;
  if (done.servers.size() > 1) demands_.back().end = boot_time();
  clients_.recall_kazoo();
}

// kazoo has a single loop, and keeps its servers.
std::size_t nemesis::client_of(const fault& one) {
  using enum fault_kind;
  const bool is_of_zklock = one.kind == block_loop || one.kind == change_servers;
  return is_of_zklock ? one.which % crew::zklock_clients : one.which;
}

void nemesis::begin_on_client(const fault& one, past_fault& done) {
  using enum fault_kind;
  const auto client = client_of(one);
  done.client = static_cast<int>(client);
  done.target = "client " + std::to_string(client + 1);
  if (one.kind == pause_client) clients_.pause(client);
  if (one.kind == kill_client) clients_.kill(client);
  if (one.kind == block_loop) clients_.block(client);
  if (one.kind == change_servers) clients_.use_one_server(client, one.which / 64);
  if (one.kind == cut_client) servers_.cut_client(client, one.how);
  if (one.kind == slow_client) servers_.slow_down_client(client, one.delay);
}

void nemesis::end_on_client(const fault& one) {
  using enum fault_kind;
  const auto client = client_of(one);
  if (one.kind == pause_client) clients_.resume(client);
  if (one.kind == block_loop) clients_.unblock(client);
  if (one.kind == change_servers) clients_.use_all_servers(client);
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
  // The node that is first in line, or any.
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
