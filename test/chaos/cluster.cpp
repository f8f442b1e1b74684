#include "chaos/cluster.hpp"

#include <zklock/testing/error.hpp>

#include "testing/server_queries.hpp"

#include <thread>

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
  const deadline limit(60s);
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

std::string cluster::ask(std::size_t server, std::string_view word) const {
  return zklock::testing::query(direct_address(server), word, deadline(3s));
}

void cluster::expire(std::int64_t session) const {
  const auto leads = leader();
  if (!leads) throw zklock::testing::error("there is no leader");
  zklock::testing::close_session(direct_address(*leads), session, deadline(5s));
}

zklock::testing::server_options options_of_servers(const std::filesystem::path& folder) {
  zklock::testing::server_options options;
  options.tick_time = cluster::tick;
  options.sync_limit = 4;
  options.container_check_interval = 5s;
  options.heap = 512;
  options.data_directory = folder;
  options.start_timeout = 30s;
  // A small log to begin with: the disk of one server is small.
  options.system_properties = {"zookeeper.preAllocSize=1024"};
  options.java_options = {"-XX:TieredStopAtLevel=4"};
  return options;
}

} // namespace chaos
