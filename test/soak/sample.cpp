#include "soak/sample.hpp"

#include <zklock/testing/server.hpp>

#include "support/heap_use.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace soak {

namespace {

std::size_t entries_of(const char* folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

std::size_t resident_bytes() {
  std::ifstream pages("/proc/self/statm");
  std::size_t all = 0;
  std::size_t resident = 0;
  pages >> all >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

/// How much more than before is no growth.
struct column {
  const char* name;
  std::size_t sample::*member;
  double factor;
  std::size_t slack;
};

// Memory, watches and nodes depend on how many locks the clients have used in the last round.
constexpr column columns[]{
    {"descriptors", &sample::descriptors, 1, 0},
    {"threads", &sample::threads, 1, 0},
    {"connections", &sample::connections, 1, 0},
    {"bytes of the heap", &sample::heap, 1.05, 8 << 20},
    {"bytes in memory", &sample::resident, 1.05, 8 << 20},
    {"watches", &sample::watches, 1.05, 1'000},
    {"nodes", &sample::nodes, 1.05, 2'000},
};

} // namespace

sample take_sample(const zklock::testing::server& of) {
  const auto counter = [&of](const char* name) {
    return static_cast<std::size_t>(of.counter(name));
  };
  sample now;
  now.watches = counter("zk_watch_count");
  now.nodes = counter("zk_znode_count");
  now.connections = counter("zk_num_alive_connections");
  now.threads = entries_of("/proc/self/task");
  now.descriptors = entries_of("/proc/self/fd");
  now.heap = zklock::test::heap_in_use();
  now.resident = resident_bytes();
  return now;
}

void write_names(std::ostream& out) {
  out << "seconds grants descriptors threads heap resident watches nodes connections\n";
}

std::ostream& operator<<(std::ostream& out, const sample& one) {
  return out << one.seconds << ' ' << one.grants << ' ' << one.descriptors << ' ' << one.threads
             << ' ' << one.heap << ' ' << one.resident << ' ' << one.watches << ' ' << one.nodes
             << ' ' << one.connections << '\n';
}

std::vector<std::string> grown(const std::vector<sample>& all) {
  const auto third = static_cast<std::ptrdiff_t>(all.size() / 3);
  std::vector<std::string> found;
  for (const auto& each : columns) {
    const auto less = [&](const sample& a, const sample& b) {
      return a.*each.member < b.*each.member;
    };
    const auto before =
        *std::max_element(all.end() - 2 * third, all.end() - third, less).*each.member;
    const auto after = *std::max_element(all.end() - third, all.end(), less).*each.member;
    if (static_cast<double>(after) <=
        static_cast<double>(before) * each.factor + static_cast<double>(each.slack))
      continue;
    found.push_back(std::string(each.name) + " have grown from " + std::to_string(before) + " to " +
                    std::to_string(after));
  }
  return found;
}

} // namespace soak
