#include "chaos/finals.hpp"

#include <zklock/testing/error.hpp>

#include "chaos/locks.hpp"
#include "support/raw_client.hpp"

#include <chrono>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace chaos {
namespace {

namespace testing = zklock::testing;
using namespace std::chrono_literals;

constexpr testing::raw_client_options patient{.session_timeout = 30s, .limit = 30s};

std::size_t leader_of(const cluster& servers) {
  if (const auto found = servers.wait_for_leader()) return *found;
  throw testing::error("the ensemble has no leader");
}

std::string value_in(const std::string& counters, const std::string& name) {
  std::istringstream lines(counters);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(name + '\t')) return line.substr(name.size() + 1);
  return {};
}

// A leader that is busy with the ends of all sessions may reply late.
std::string counters_of(const cluster& servers) {
  for (int attempts = 10;; --attempts) {
    try {
      return servers.ask(leader_of(servers), "mntr");
    } catch (const testing::error&) {
      if (attempts == 1) throw;
    }
  }
}

// Sessions of processes that were killed go with their timeouts.
void wait_for_sessions(const cluster& servers, remains& found) {
  const auto limit = std::chrono::steady_clock::now() + 60s;
  std::string left;
  do {
    left = value_in(counters_of(servers), "zk_global_sessions");
    if (left == "0") return;
    std::this_thread::sleep_for(100ms);
  } while (std::chrono::steady_clock::now() < limit);
  found.wrong.push_back(left + " sessions are left");
}

// The servers remove empty containers meanwhile.
std::vector<std::string> children_of(testing::raw_client& zk, const std::string& path) {
  try {
    return zk.children(path);
  } catch (const testing::server_error& error) {
    constexpr int no_node = -101;
    if (error.code() != no_node) throw;
    return {};
  }
}

void look_for_entries(testing::raw_client& zk, const std::string& path, remains& found) {
  for (const auto& each : children_of(zk, path)) {
    const auto node = path + '/' + each;
    if (each == "locks" || each == "leases")
      look_for_entries(zk, node, found);
    else
      found.wrong.push_back("the znode " + node + " is left");
  }
}

committed_node parse(const std::string& bucket, const std::string& name, std::int64_t czxid) {
  // The index of the lock, the token, and the rest.
  const auto first = name.find('_');
  const auto token = name.substr(first + 1, 25);
  return {
      bucket + '/' + name, czxid, commit_path(std::stoul(name.substr(0, first))),
      zklock::fencing_token(std::stoll(token.substr(0, 16), nullptr, 16),
                            static_cast<std::uint32_t>(std::stoul(token.substr(17), nullptr, 16)))};
}

} // namespace

// On a busy machine, an ensemble that has just started may leave a request without a reply. The
// same creates are made again then, by the leader of that time.
void prepare_znodes(const cluster& servers) {
  for (int attempts = 6;; --attempts) {
    try {
      testing::raw_client zk(servers.direct_address(leader_of(servers)));
      // kazoo does not make a directory again that it has seen once.
      for (std::size_t i = 0; i < mutexes; ++i)
        zk.create_all(mutex_path(i));
      for (std::size_t i = 0; i < commit_buckets; ++i)
        zk.create_all(bucket_path(i));
      zk.create_all(limit_path);
      zk.set(limit_path, limit_data(permit_limit));
      return;
    } catch (const testing::error& error) {
      if (attempts == 1) throw;
      std::cerr << "before the run: " << error.what() << std::endl;
    }
  }
}

remains look_at_remains(const cluster& servers) {
  remains found;
  wait_for_sessions(servers, found);
  found.version = value_in(counters_of(servers), "zk_version");
  found.version = found.version.substr(0, found.version.find_first_of(",-"));
  testing::raw_client zk(servers.direct_address(leader_of(servers)), patient);
  zk.sync();
  for (const auto& lock : zk.children("/chaos"))
    look_for_entries(zk, "/chaos/" + lock, found);
  for (std::size_t i = 0; i < commit_buckets; ++i)
    for (const auto& each : zk.children(bucket_path(i)))
      found.commits.push_back(
          parse(bucket_path(i), each, zk.get(bucket_path(i) + '/' + each).stat.czxid));
  return found;
}

} // namespace chaos
