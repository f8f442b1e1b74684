#include "chaos/cluster.hpp"

#include <zklock/testing/error.hpp>

#include "chaos/locks.hpp"
#include "testing/server_queries.hpp"

#include <fstream>
#include <thread>
#include <utility>

namespace chaos {

using namespace std::chrono_literals;
using zklock::testing::deadline;

std::optional<std::size_t> cluster::leader() const {
  for (std::size_t i = 0; i < servers; ++i) {
    try {
      if (zklock::testing::query_mode(direct_address(i), deadline(500ms)) == "leader") return i;
    } catch (const zklock::testing::error&) {
      // Not running, or halted.
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> cluster::wait_for_leader() const {
  const deadline limit(start_limit);
  for (;;) {
    if (const auto found = leader()) return found;
    if (limit.over()) return std::nullopt;
    std::this_thread::sleep_for(50ms);
  }
}

bool cluster::all_serve() const {
  try {
    for (std::size_t i = 0; i < servers; ++i)
      if (zklock::testing::query_mode(direct_address(i), deadline(1s)).empty()) return false;
    return true;
  } catch (const zklock::testing::error&) {
    return false;
  }
}

void cluster::settle() {
  wait_until_serving();
  std::this_thread::sleep_for(writing);
}

std::string cluster::ask(std::size_t server, std::string_view word) const {
  return zklock::testing::query(direct_address(server), word, deadline(3s));
}

void cluster::expire(std::int64_t session) const {
  const auto leads = leader();
  if (!leads) throw zklock::testing::error("there is no leader");
  zklock::testing::close_session(direct_address(*leads), session, deadline(5s));
}

cluster::cluster(std::filesystem::path folder)
    : folder_(std::move(folder)),
      server_certificate_(authority_.issue({.hosts = {server_name}})),
      client_certificate_(authority_.issue()) {
  demand_authentication(false);
}

// Java reads this file for each server that starts.
void cluster::demand_authentication(bool demanded) const {
  std::ofstream out(folder_ / "java-options");
  if (demanded)
    out << "-Dzookeeper.enforce.auth.enabled=true\n-Dzookeeper.enforce.auth.schemes=digest\n";
  if (!out.flush()) throw zklock::testing::error("cannot write the options of Java");
}

std::filesystem::path cluster::data_of(std::size_t server) const {
  return folder_ / std::to_string(server + 1) / "data" / "version-2";
}

zklock::testing::server_options cluster::server_options() const {
  zklock::testing::server_options options;
  options.tick_time = cluster::tick;
  options.sync_limit = 4;
  // Between any two requests.
  options.container_check_interval = 1s;
  options.heap = 512;
  options.data_directory = folder_;
  options.start_timeout = start_limit;
  options.tls = {.certificate = server_certificate_.both, .authorities = authority_.certificate()};
  // A small log to begin with: the disk of a server is small.
  options.system_properties = {"zookeeper.preAllocSize=1024"};
  options.java_options = {"-XX:TieredStopAtLevel=4", "@" + (folder_ / "java-options").string()};
  return options;
}

} // namespace chaos
