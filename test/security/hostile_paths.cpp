// Paths and participants from outside cannot lead out of a lock's root.
#include "kinds/kinds.hpp"
#include "support/counted_client.hpp"
#include "support/stat_of.hpp"

#include <boost/test/unit_test.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace zklock;
using namespace zklock::test;
using namespace std::string_literals;
using boost::system::system_error;

namespace {

/// Endings that lead elsewhere, or mean something to a server, a terminal or a log. Each ending is
/// appended to a valid path.
const std::vector<std::string> bad_endings{
    "/..",
    "/../..",
    "/../other",
    "/a/../../other",
    "/.",
    "/./a",
    "/",
    "//",
    "//a",
    "/a//b",
    "/a/",
    "/a\0b"s,
    "/\0"s,
    "/a\nb",
    "/a\rb",
    "/\x1b[2J",
    "/\x7f",
    // NEL and CSI.
    "/\xc2\x85",
    "/\xc2\x9b"
    "2J",
    // Not UTF-8: a lone byte, overlong forms of '.' and '/', and surrogates.
    "/\xff",
    "/\xc0\xae\xc0\xae",
    "/\xc0\xaf",
    "/\xe0\x80\xaf",
    "/\xed\xa0\x80",
    // For private use, noncharacters, and characters that take two units of Java.
    "/\xee\x80\x80",
    "/\xef\xbf\xbe",
    "/\xef\xbf\xbf",
    "/\xf0\x9f\x94\x92",
    "/\xf4\x8f\xbf\xbf",
};

bool is_bad_path(const system_error& error) {
  const std::string_view what = error.what();
  return error.code() == errc::bad_path && what.size() < 300 &&
         std::all_of(what.begin(), what.end(), [](char c) { return c >= ' ' && c < 0x7f; });
}

struct path_scene {
  path_scene() {
    witness.create_all(root + "/chroot/lock");
    witness.create_all(root + "/other");
  }

  static std::string addresses(const testing::relay& through, const std::string& chroot) {
    return through.address() + chroot;
  }

  background context;
  testing::raw_client witness{shared_server().direct_address()};
  testing::relay door{shared_server().direct_address()};
  const std::string root = fresh_path("root");
  // On a busy machine, a shorter session has requests of its own meanwhile.
  client zk{context.io, options_for(addresses(door, root + "/chroot"), 60s)};
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(hostile_paths, path_scene, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(path_that_leads_elsewhere_is_refused_before_anything_is_sent) {
  wait_until([&] { return zk.connected(); });
  door.reset_counts();
  for (const auto& ending : bad_endings)
    BOOST_TEST_CONTEXT(ending) {
      const auto path = "/lock" + ending;
      for (const auto what : all_kinds)
        BOOST_CHECK_EXCEPTION(make(what, zk, path), system_error, is_bad_path);
      BOOST_CHECK_EXCEPTION(election(zk, path), system_error, is_bad_path);
      BOOST_CHECK_EXCEPTION(semaphore(zk, "/lock", limit_node{path}), system_error, is_bad_path);
      BOOST_TEST((error_of(zk.find_locks(path, asio::use_future)) == errc::bad_path));
    }
  BOOST_TEST(door.total_requests() == 0u);
}

BOOST_AUTO_TEST_CASE(server_list_with_a_bad_chroot_is_refused) {
  for (const auto& ending : bad_endings)
    BOOST_TEST_CONTEXT(ending) {
      const auto servers = addresses(door, "/chroot" + ending);
      BOOST_CHECK_EXCEPTION(client(context.io, options_for(servers)), system_error,
                            [](const auto& e) { return e.code() == errc::bad_servers; });
    }
}

BOOST_AUTO_TEST_CASE(node_of_a_participant_that_leads_elsewhere_is_refused) {
  wait_until([&] { return zk.connected(); });
  const std::string entry = "_c_9d1b3f42-7c1e-4c5a-8a57-0e4f0b7b2a11-lock-0000000000";
  door.reset_counts();
  for (const auto what : all_kinds) {
    const any_lock lock = make(what, zk, "/lock");
    std::vector<std::string> nodes{"",
                                   "/",
                                   "/lock",
                                   "/lock/",
                                   root + "/other/" + entry,
                                   "/other/" + entry,
                                   "/lock/../other/" + entry,
                                   "/lock/a/" + entry,
                                   "lock/" + entry};
    for (const auto& ending : bad_endings)
      nodes.push_back(root + "/chroot/lock" + ending + '/' + entry);
    for (const auto& node : nodes)
      BOOST_TEST_CONTEXT(what << ' ' << node) {
        const participant target{.node = node};
        BOOST_TEST((error_of(lock.request_release(target, asio::use_future)) == errc::bad_path));
        BOOST_TEST((error_of(lock.break_lock(target, asio::use_future)) == errc::bad_path));
      }
  }
  BOOST_TEST(door.total_requests() == 0u);
}

BOOST_AUTO_TEST_CASE(locks_stay_below_the_chroot) {
  const auto before = witness.children(root);
  for (const auto what : all_kinds) {
    any_lock lock = make(what, zk, "/lock-" + std::to_string(static_cast<int>(what)));
    hold held = get(lock.acquire(30s, asio::use_future));
    BOOST_TEST(held.node().starts_with(root + "/chroot/lock-"));
    const auto all = get(lock.participants(asio::use_future));
    BOOST_TEST_REQUIRE(all.size() == nodes_of(what));
    get(lock.request_release(all.front(), asio::use_future));
    BOOST_TEST(get(lock.break_lock(asio::use_future)) == nodes_of(what));
  }
  for (const auto& each : get(zk.find_locks("/", asio::use_future)))
    BOOST_TEST(each.path.starts_with("/lock-"));
  BOOST_TEST(witness.children(root) == before, boost::test_tools::per_element());
  BOOST_TEST(witness.children(root + "/other").empty());
}

// The text of a release request is no path, even if it looks like a path.
BOOST_AUTO_TEST_CASE(release_request_from_outside_touches_no_other_node) {
  const auto other = root + "/other";
  mutex lock(zk, "/lock");
  hold held = get(lock.acquire(30s, asio::use_future));
  auto asked = held.wait_release_requested(asio::use_future);
  wait_for_watch(held.node());
  door.reset_counts();
  witness.set(held.node(), "__REVOKE__\n../../other\n" + other);
  BOOST_TEST(get(asked) == "../../other");
  const auto all = get(lock.participants(asio::use_future));
  BOOST_TEST(all.at(0).identity == other);
  get(lock.request_release(all.front(), asio::use_future));
  get(held.release(asio::use_future));
  BOOST_TEST(stat_of(witness, other).version == 0);
  BOOST_TEST(stat_of(witness, root).version == 0);
  BOOST_TEST(stat_of(witness, other).cversion == 0);
}

BOOST_AUTO_TEST_SUITE_END()
