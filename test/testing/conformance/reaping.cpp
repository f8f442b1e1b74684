#include <zklock/testing.hpp>

#include "support/jute_writer.hpp"
#include "support/raw_client.hpp"
#include "testing/conformance/compared.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace zklock::test {
namespace {

using testing::create_mode;
using testing::raw_client;
using namespace std::chrono_literals;

/// Servers that look for empty containers all the time.
struct reaping_servers {
  testing::server real{{.tick_time = 50ms, .container_check_interval = 20ms}};
  testing::memory_server memory{{.tick_time = 50ms, .container_check_interval = 20ms}};
};

/// Builds a random tree of containers and other nodes, takes its leaves away in three ways, and
/// tells which nodes the servers leave. Nothing depends on when the servers look for containers.
class reaping {
 public:
  reaping(const std::string& address, std::uint32_t seed)
      : observer_(address),
        closed_(address),
        silent_(address, {.session_timeout = 3s}),
        root_("/seed-" + std::to_string(seed)),
        random_(seed) {}

  std::vector<std::string> play() {
    observer_.create(root_);
    for (int left = 60; left != 0; --left)
      add();
    const std::string marker = root_ + "/marker";
    silent_.create(marker, "", create_mode::ephemeral);
    for (const auto& [path, mode] : nodes_) {
      observer_.exists(path, true);
      observer_.children(path, true);
      silent_.ping();
    }
    remove_leaves();
    closed_.close();
    while (observer_.exists(marker))
      take_events(20ms);
    // A container goes a round later if it was the last child of another container.
    for (int rounds = 0; rounds != 8; ++rounds)
      await_round(rounds);
    return result();
  }

 private:
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_()) % limit; }

  void add() {
    silent_.ping();
    std::string parent = root_;
    if (!parents_.empty() && below(4) != 0)
      parent = parents_[below(static_cast<std::uint32_t>(parents_.size()))];
    const std::string path = parent + "/n" + std::to_string(nodes_.size());
    const std::uint32_t choice = below(10);
    const create_mode mode = choice < 6   ? create_mode::container
                             : choice < 8 ? create_mode::ephemeral
                                          : create_mode::persistent;
    raw_client& by = mode != create_mode::ephemeral ? observer_ : below(2) == 0 ? closed_ : silent_;
    by.create(path, "", mode);
    nodes_.emplace(path, mode);
    if (mode != create_mode::ephemeral) parents_.push_back(path);
    if (below(8) == 0) observer_.set(path, "changed");
  }

  bool is_leaf(const std::string& path) const {
    const auto next = nodes_.lower_bound(path + '/');
    return next == nodes_.end() || !next->first.starts_with(path + '/');
  }

  /// Removes some of the leaves, but no node that the servers delete.
  void remove_leaves() {
    for (const auto& [path, mode] : nodes_)
      if (is_leaf(path) && mode != create_mode::ephemeral && below(3) != 0) observer_.remove(path);
  }

  /// Waits until the servers have looked for empty containers once more.
  void await_round(int number) {
    const std::string container = root_ + "/round-" + std::to_string(number);
    observer_.create(container, "", create_mode::container);
    observer_.create(container + "/child");
    observer_.remove(container + "/child");
    const auto limit = std::chrono::steady_clock::now() + 20s;
    while (observer_.exists(container)) {
      if (std::chrono::steady_clock::now() > limit)
        throw std::runtime_error("the server does not delete " + container);
      take_events(20ms);
    }
  }

  void take_events(std::chrono::milliseconds limit) {
    for (auto event = observer_.next_event(limit); event; event = observer_.next_event(0ms))
      events_.push_back("event " + std::to_string(event->type) + ' ' + event->path);
  }

  std::vector<std::string> result() {
    take_events(0ms);
    std::sort(events_.begin(), events_.end());
    for (const auto& [path, mode] : nodes_) {
      const auto stat = observer_.exists(path);
      events_.push_back(path + (stat ? " version " + std::to_string(stat->version) + " cversion " +
                                           std::to_string(stat->cversion) + " children " +
                                           std::to_string(stat->num_children)
                                     : " is gone"));
    }
    return events_;
  }

  raw_client observer_;
  raw_client closed_;
  raw_client silent_;
  std::string root_;
  std::minstd_rand random_;
  std::map<std::string, create_mode> nodes_;
  std::vector<std::string> parents_;
  std::vector<std::string> events_;
};

/// The server's error for a node with a time to live. Other flags in such a request can end a real
/// server.
std::string reply_to_ttl(raw_client& client, std::int32_t flags, std::int64_t ttl) {
  detail::jute_writer out;
  out.put_string("/ttl");
  out.put_buffer({});
  out.put_int(1);
  out.put_int(31);
  out.put_string("world");
  out.put_string("anyone");
  out.put_int(flags);
  out.put_long(ttl);
  try {
    client.request(static_cast<std::int32_t>(testing::operation::create_ttl), out.bytes());
  } catch (const testing::server_error& e) {
    return std::to_string(e.code());
  }
  return "created";
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(conformance_reaping, reaping_servers, *boost::unit_test::timeout(300))

BOOST_AUTO_TEST_CASE(containers_are_deleted_like_on_a_real_server) {
  for (std::uint32_t seed = 1; seed <= 4; ++seed)
    BOOST_TEST_CONTEXT("seed " << seed) {
      compare(real.address(), memory.address(),
              [seed](const std::string& address) { return reaping(address, seed).play(); });
    }
}

BOOST_AUTO_TEST_CASE(nodes_with_a_time_to_live_are_refused_like_on_a_real_server) {
  compare(real.address(), memory.address(), [](const std::string& address) {
    std::vector<std::string> lines;
    for (const std::int32_t flags : {5, 6})
      for (const std::int64_t ttl : {-1, 0, 1, 100'000}) {
        raw_client client(address);
        lines.push_back(std::to_string(flags) + ' ' + std::to_string(ttl) + ": " +
                        reply_to_ttl(client, flags, ttl));
      }
    return lines;
  });
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test
