// What access lists permit a client of another identity, for each kind of lock.
#include <zklock/testing/relay.hpp>

#include "kinds.hpp"
#include "support/counted_client.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

using namespace zklock;
using namespace zklock::test;
namespace data = boost::unit_test::data;

namespace {

constexpr auto owner_secret = "owner:open sesame";

const access_rule all_of_creator{.scheme = "auth", .id = ""};
const access_rule read_of_anyone{.permissions = permission::read};

client_options with(const std::string& servers, std::vector<access_rule> list,
                    const std::optional<std::string>& secret) {
  auto options = options_for(servers);
  options.access = std::move(list);
  if (secret) options.credentials = {{.secret = *secret}};
  return options;
}

/// The directory above all locks is open, so that other tests can make theirs beside this one.
struct open_root {
  open_root() { testing::raw_client(shared_server().direct_address()).create_all("/test"); }
};

/// A lock that its owner holds, and a client with another identity or none.
struct scene {
  scene(kind what, const std::vector<access_rule>& list, const std::optional<std::string>& other)
      : owner(context.io, with(shared_server().address(), list, owner_secret)),
        stranger(context.io, with(door.address(), {}, other)),
        lock(make(what, owner, path)),
        theirs(make(what, stranger, path)) {
    witness.add_auth("digest", owner_secret);
    held = get(lock.acquire(30s, asio::use_future));
    wait_until([&] { return stranger.connected(); });
    all = get(lock.participants(asio::use_future));
    before = nodes();
    door.reset_counts();
  }

  /// All nodes of the lock, with their versions.
  std::vector<std::string> nodes() {
    std::vector<std::string> found;
    add(path, found);
    return found;
  }

  /// Refused at once: few requests, and no time-out.
  template <class Future>
  void expect_denied(Future&& done, std::string_view operation) {
    BOOST_TEST_CONTEXT(operation) {
      BOOST_TEST((error_of(done) == errc::no_permission));
      BOOST_TEST(door.total_requests() <= 8u);
    }
    door.reset_counts();
  }

  /// The operations that change a lock.
  void expect_no_change() {
    expect_denied(theirs.acquire(30s, asio::use_future), "acquire");
    expect_denied(theirs.request_release(all.front(), asio::use_future), "request_release");
    expect_denied(theirs.break_lock(all.front(), asio::use_future), "break_lock of a participant");
    expect_denied(multi_lock({theirs}).acquire(30s, asio::use_future), "acquire of a multi_lock");
  }

  /// The owner has lost nothing, and nothing was left behind.
  void expect_unaffected() {
    BOOST_TEST(nodes() == before, boost::test_tools::per_element());
    BOOST_TEST(held.owns_lock());
    BOOST_TEST((held.state() == hold_state::held));
    get(held.release(asio::use_future));
    held = get(lock.acquire(30s, asio::use_future));
    BOOST_TEST(held.owns_lock());
  }

  background context;
  testing::raw_client witness{shared_server().direct_address()};
  testing::relay door{shared_server().direct_address()};
  const std::string path = fresh_path("guarded") + "/parent/lock";
  client owner, stranger;
  any_lock lock, theirs;
  hold held;
  std::vector<participant> all;
  std::vector<std::string> before;

 private:
  void add(const std::string& node, std::vector<std::string>& found) {
    witness.sync(node);
    found.push_back(node + " of version " + std::to_string(witness.exists(node)->version));
    for (const auto& each : witness.children(node))
      add(node + '/' + each, found);
  }
};

/// A client without credentials, and one with those of another user.
const std::array<std::optional<std::string>, 2> strangers{std::nullopt, "stranger:secret"};

} // namespace

BOOST_FIXTURE_TEST_SUITE(access_lists, open_root, *boost::unit_test::timeout(120))

BOOST_DATA_TEST_CASE(list_of_the_creator_denies_everything_to_others, data::make(all_kinds), what) {
  for (const auto& other : strangers) {
    scene s(what, {all_of_creator}, other);
    s.expect_no_change();
    s.expect_denied(s.theirs.try_acquire(asio::use_future), "try_acquire");
    s.expect_denied(s.theirs.participants(asio::use_future), "participants");
    s.expect_denied(s.theirs.holders(asio::use_future), "holders");
    s.expect_denied(s.theirs.count_waiting(asio::use_future), "count_waiting");
    s.expect_denied(s.theirs.break_lock(asio::use_future), "break_lock");
    s.expect_denied(s.theirs.wait_holder_changed(std::nullopt, asio::use_future),
                    "wait_holder_changed");
    s.expect_denied(s.theirs.wait_holder_changed(s.all.front(), asio::use_future),
                    "wait_holder_changed of the holder");
    const auto found = get(s.stranger.find_locks(s.path, asio::use_future));
    BOOST_TEST_REQUIRE(found.size() == 1u);
    BOOST_TEST((found.front().error == errc::no_permission));
    BOOST_TEST(found.front().participants.empty());
    s.expect_unaffected();
  }
}

BOOST_DATA_TEST_CASE(list_that_permits_reading_lets_others_look_only, data::make(all_kinds), what) {
  for (const auto& other : strangers) {
    scene s(what, {all_of_creator, read_of_anyone}, other);
    s.expect_no_change();
    s.expect_denied(s.theirs.break_lock(asio::use_future), "break_lock");
    const auto seen = get(s.theirs.participants(asio::use_future));
    BOOST_TEST_REQUIRE(seen.size() == 1u);
    BOOST_TEST(seen.front().node == s.all.front().node);
    BOOST_TEST(get(s.theirs.holders(asio::use_future)).size() == 1u);
    BOOST_TEST(get(s.theirs.count_waiting(asio::use_future)) == 0u);
    // What a list shows answers a try of a busy lock. One of a lock that looks free is refused.
    const auto tried = error_of(s.theirs.try_acquire(asio::use_future));
    BOOST_TEST((tried == (what == kind::reader ? errc::no_permission : errc::busy)));
    auto change = s.theirs.wait_holder_changed(s.all.front(), asio::use_future);
    wait_for_watch(s.all.front().node);
    BOOST_TEST(!is_ready(change));
    s.expect_unaffected();
    get(change);
    get(s.held.release(asio::use_future));
    s.door.reset_counts();
    s.expect_denied(s.theirs.try_acquire(asio::use_future), "try_acquire of a free lock");
  }
}

BOOST_DATA_TEST_CASE(open_list_lets_others_do_everything, data::make(all_kinds), what) {
  for (const auto& other : strangers) {
    scene s(what, {}, other);
    BOOST_TEST(get(s.theirs.participants(asio::use_future)).size() == 1u);
    auto asked = s.held.wait_release_requested(asio::use_future);
    get(s.theirs.request_release(s.all.front(), asio::use_future));
    get(asked);
    auto lost = s.held.wait_lost(asio::use_future);
    BOOST_TEST(get(s.theirs.break_lock(asio::use_future)) == 1u);
    BOOST_TEST((get(lost) == errc::entry_deleted));
    const hold next = get(s.theirs.acquire(30s, asio::use_future));
    BOOST_TEST(next.owns_lock());
  }
}

BOOST_DATA_TEST_CASE(every_directory_and_node_gets_the_list, data::make(all_kinds), what) {
  scene s(what, {all_of_creator}, std::nullopt);
  testing::raw_client stranger(shared_server().direct_address());
  const auto denied = [](const testing::server_error& error) { return error.code() == -102; };
  auto guarded = directories_of(what, s.path);
  guarded.push_back(s.path.substr(0, s.path.rfind('/')));
  guarded.push_back(s.held.node());
  for (const auto& each : guarded)
    BOOST_TEST_CONTEXT(each) {
      BOOST_CHECK_EXCEPTION(stranger.get(each), testing::server_error, denied);
      BOOST_CHECK_EXCEPTION(stranger.set(each, "changed"), testing::server_error, denied);
      BOOST_CHECK_NO_THROW(s.witness.get(each));
    }
  for (const auto& each : directories_of(what, s.path)) {
    BOOST_CHECK_EXCEPTION(
        stranger.create(each + "/lock-", "", testing::create_mode::ephemeral_sequential),
        testing::server_error, denied);
    BOOST_CHECK_EXCEPTION(stranger.children(each), testing::server_error, denied);
  }
  BOOST_CHECK_EXCEPTION(stranger.remove(s.held.node()), testing::server_error, denied);
}

// A directory keeps the list that it was made with.
BOOST_AUTO_TEST_CASE(directory_with_an_open_list_lets_others_delete_entries) {
  const auto path = fresh_path("open");
  testing::raw_client stranger(shared_server().direct_address());
  stranger.create_all(path);
  background context;
  client zk(context.io, with(shared_server().address(), {all_of_creator}, owner_secret));
  mutex lock(zk, path);
  const hold held = get(lock.acquire(30s, asio::use_future));
  auto lost = held.wait_lost(asio::use_future);
  // The entry has the list of its creator: it can be neither read nor asked.
  BOOST_CHECK_THROW(stranger.get(held.node()), testing::server_error);
  BOOST_CHECK_THROW(stranger.set(held.node(), "__REVOKE__"), testing::server_error);
  stranger.remove(held.node());
  BOOST_TEST((get(lost) == errc::entry_deleted));
}

BOOST_AUTO_TEST_CASE(guarded_limit_of_a_semaphore_denies_its_permits) {
  const auto path = fresh_path("limited");
  const auto limit = path + "/limit";
  testing::raw_client witness(shared_server().direct_address());
  witness.add_auth("digest", owner_secret);
  witness.create_all(path);
  witness.create(limit, std::string("\0\0\0\1", 4), testing::create_mode::persistent,
                 {testing::creator_access()});
  background context;
  counted_client stranger(context);
  semaphore theirs(stranger.zk, path + "/semaphore", limit_node{limit});
  for (int i = 0; i < 2; ++i) {
    BOOST_TEST((error_of(theirs.acquire(30s, asio::use_future)) == errc::no_permission));
    BOOST_TEST(stranger.door.total_requests() <= 12u);
    stranger.door.reset_counts();
    BOOST_TEST((error_of(theirs.try_acquire(asio::use_future)) == errc::no_permission));
    BOOST_TEST(stranger.door.total_requests() <= 12u);
    stranger.door.reset_counts();
  }
  wait_until([&] { return entries(witness, path + "/semaphore/locks") == 0; });
  BOOST_TEST(entries(witness, path + "/semaphore/leases") == 0u);
  client zk(context.io, with(shared_server().address(), {}, owner_secret));
  semaphore ours(zk, path + "/semaphore", limit_node{limit});
  const hold held = get(ours.acquire(30s, asio::use_future));
  BOOST_TEST(held.owns_lock());
}

BOOST_AUTO_TEST_CASE(commit_to_a_guarded_node_fails_and_changes_nothing) {
  scene s(kind::exclusive, {all_of_creator}, strangers[1]);
  mutex own(s.stranger, fresh_path("own"));
  const hold held = get(own.acquire(30s, asio::use_future));
  const auto node = s.held.node();
  s.door.reset_counts();
  s.expect_denied(held.commit(transaction().remove(node), asio::use_future), "remove");
  s.expect_denied(held.commit(transaction().set(node, "__REVOKE__"), asio::use_future), "set");
  s.expect_denied(held.commit(transaction().create(s.path + "/lock-0000000000"), asio::use_future),
                  "create");
  BOOST_TEST(held.owns_lock());
  s.expect_unaffected();
}

BOOST_AUTO_TEST_CASE(candidate_without_permission_is_not_elected) {
  scene s(kind::exclusive, {all_of_creator}, strangers[1]);
  const leader candidate(s.stranger, s.path);
  bool elected = false;
  const auto body = [&](hold&) -> asio::awaitable<void> {
    elected = true;
    co_return;
  };
  s.expect_denied(candidate.run(body, asio::use_future), "run");
  BOOST_TEST(!elected);
  s.expect_unaffected();
}

BOOST_AUTO_TEST_SUITE_END()
