// The operations that access lists permit a client of another identity, for each kind of lock.
#include "security/guarded_lock.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace zklock;
using namespace zklock::test;
namespace data = boost::unit_test::data;

BOOST_FIXTURE_TEST_SUITE(access_lists, open_root, *boost::unit_test::timeout(120))

BOOST_DATA_TEST_CASE(list_of_the_creator_denies_everything_to_others, data::make(all_kinds), what) {
  for (const auto& other : strangers) {
    guarded_lock s(what, {all_of_creator}, other);
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
    guarded_lock s(what, {all_of_creator, read_of_anyone}, other);
    s.expect_no_change();
    s.expect_denied(s.theirs.break_lock(asio::use_future), "break_lock");
    const auto seen = get(s.theirs.participants(asio::use_future));
    BOOST_TEST_REQUIRE(seen.size() == nodes_of(what));
    BOOST_TEST(seen.front().node == s.all.front().node);
    BOOST_TEST(get(s.theirs.holders(asio::use_future)).size() == nodes_of(what));
    BOOST_TEST(get(s.theirs.count_waiting(asio::use_future)) == 0u);
    // A list is enough to refuse a try of a busy lock. A try of a lock that looks free is denied.
    const auto tried = error_of(s.theirs.try_acquire(asio::use_future));
    BOOST_TEST((tried == (what == kind::reader ? error_code(errc::no_permission) : error_code())));
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

BOOST_DATA_TEST_CASE(list_that_permits_removing_lets_others_break_a_known_entry,
                     data::make(all_kinds), what) {
  const access_rule remove_of_anyone{.permissions = permission::remove};
  for (const auto& other : strangers) {
    guarded_lock s(what, {all_of_creator, remove_of_anyone}, other);
    // Which entries hold the lock is in the list of the directory.
    s.expect_denied(s.theirs.break_lock(asio::use_future), "break_lock");
    BOOST_TEST(s.held.owns_lock());
    auto lost = s.held.wait_lost(asio::use_future);
    BOOST_TEST(get(s.theirs.break_lock(s.all.front(), asio::use_future)) == 1u);
    BOOST_TEST((get(lost) == errc::entry_deleted));
  }
}

BOOST_DATA_TEST_CASE(list_that_permits_reading_and_removing_lets_others_break_the_lock,
                     data::make(all_kinds), what) {
  const access_rule rule{.permissions = permission::read | permission::remove};
  for (const auto& other : strangers) {
    guarded_lock s(what, {all_of_creator, rule}, other);
    auto lost = s.held.wait_lost(asio::use_future);
    BOOST_TEST(get(s.theirs.break_lock(asio::use_future)) == nodes_of(what));
    BOOST_TEST((get(lost) == errc::entry_deleted));
  }
}

BOOST_DATA_TEST_CASE(open_list_lets_others_do_everything, data::make(all_kinds), what) {
  for (const auto& other : strangers) {
    guarded_lock s(what, {}, other);
    BOOST_TEST(get(s.theirs.participants(asio::use_future)).size() == nodes_of(what));
    auto asked = s.held.wait_release_requested(asio::use_future);
    get(s.theirs.request_release(s.all.front(), asio::use_future));
    get(asked);
    auto lost = s.held.wait_lost(asio::use_future);
    BOOST_TEST(get(s.theirs.break_lock(asio::use_future)) == nodes_of(what));
    BOOST_TEST((get(lost) == errc::entry_deleted));
    const hold next = get(s.theirs.acquire(30s, asio::use_future));
    BOOST_TEST(next.owns_lock());
  }
}

BOOST_DATA_TEST_CASE(every_directory_and_node_gets_the_list, data::make(all_kinds), what) {
  guarded_lock s(what, {all_of_creator}, std::nullopt);
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

BOOST_AUTO_TEST_SUITE_END()
