// commit: writes that only a holder can make.
//
// Source: CURATOR-689.
#include "inspect/looking.hpp"
#include "support/stat_of.hpp"

#include <boost/test/unit_test.hpp>

using namespace zklock;
using namespace zklock::test;

BOOST_FIXTURE_TEST_SUITE(commits, commit_scene, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(commit_carries_out_all_writes) {
  run(io, [&]() -> asio::awaitable<void> {
    witness.create(data + "/old", "1");
    witness.create(data + "/count", "41");
    const hold held = co_await lock.acquire(10s);
    door.reset_counts();
    transaction writes;
    writes.check(data)
        .set(data + "/count", "42", 0)
        .create(data + "/new", std::string("a\0b", 3))
        .create(data + "/list-", "x", node_kind::persistent_sequential)
        .create(data + "/mine", "y", node_kind::ephemeral)
        .create(data + "/", "z", node_kind::ephemeral_sequential)
        .remove(data + "/old");
    BOOST_TEST(writes.size() == 7u);
    const auto result = co_await held.commit(writes);
    BOOST_TEST(requests_sent() == "multi=1");
    BOOST_TEST(!result.failed_part.has_value());
    BOOST_REQUIRE(result.created.size() == 4u);
    BOOST_TEST(result.created[0] == data + "/new");
    BOOST_TEST(result.created[1].starts_with(data + "/list-0000"));
    BOOST_TEST(result.created[2] == data + "/mine");
    BOOST_TEST(result.created[3].starts_with(data + "/0000"));
    BOOST_TEST(witness.get(data + "/count").data == "42");
    BOOST_TEST(witness.get(data + "/new").data == std::string("a\0b", 3));
    BOOST_TEST(witness.get(result.created[1]).data == "x");
    BOOST_TEST(stat_of(witness, data + "/mine").ephemeral_owner == other.session_id());
    BOOST_TEST(stat_of(witness, result.created[3]).ephemeral_owner == other.session_id());
    BOOST_TEST(!witness.exists(data + "/old").has_value());
  });
}

BOOST_AUTO_TEST_CASE(failed_commit_changes_nothing_and_names_the_failed_write) {
  run(io, [&]() -> asio::awaitable<void> {
    witness.create(data + "/full");
    witness.create(data + "/full/child");
    witness.create(data + "/brief", "", testing::create_mode::ephemeral);
    witness.create(data + "/closed", "", testing::create_mode::persistent,
                   {{1, "world", "anyone"}});
    const hold held = co_await lock.acquire(10s);
    struct failure {
      transaction writes;
      errc why;
    };
    std::vector<failure> failures;
    const auto add = [&](errc why) -> transaction& {
      failures.push_back({transaction().set(data, "changed"), why});
      return failures.back().writes;
    };
    add(errc::no_node).set(data + "/none", "");
    add(errc::no_node).remove(data + "/none");
    add(errc::no_node).create(data + "/none/below");
    add(errc::no_node).check(data + "/none");
    add(errc::node_exists).create(data + "/full");
    add(errc::bad_version).set(data + "/full", "", 7);
    add(errc::bad_version).check(data + "/full", 7);
    add(errc::bad_version).remove(data + "/full/child", 7);
    add(errc::not_empty).remove(data + "/full");
    add(errc::not_a_directory).create(data + "/brief/below");
    add(errc::no_permission).set(data + "/closed", "");
    add(errc::refused).remove("/zookeeper");
    for (auto& each : failures) {
      each.writes.set(data, "changed");
      const auto [error, result] = co_await held.commit(each.writes, as_result);
      BOOST_TEST((error == each.why), error.message());
      BOOST_TEST((result.failed_part == 1u));
      BOOST_TEST(result.created.empty());
    }
    BOOST_TEST(witness.get(data).data == "");
    BOOST_TEST(held.owns_lock());
  });
}

BOOST_AUTO_TEST_CASE(hold_of_every_kind_can_commit) {
  run(io, [&]() -> asio::awaitable<void> {
    shared_mutex shared(other, path + "-shared");
    semaphore counted(other, path + "-counted", 3);
    std::vector<any_lock> locks{lock, shared, shared.shared(), counted.permits(2)};
    for (auto& each : locks) {
      hold held = co_await each.acquire(10s);
      co_await held.commit(transaction().set(data, "x"));
      co_await held.release();
    }
    BOOST_TEST(stat_of(witness, data).version == 4);
    hold held = co_await shared.acquire(10s);
    co_await held.downgrade();
    co_await held.commit(transaction().set(data, "x"));
    BOOST_TEST(stat_of(witness, data).version == 5);
    co_await held.release();
    // Sent right after each other: the entry has another name when the writes arrive.
    held = co_await shared.acquire(10s);
    pending<> reading;
    pending<commit_result> committing;
    held.downgrade(reading.token());
    held.commit(transaction().set(data, "y"), committing.token());
    BOOST_TEST(!std::get<0>(co_await committing.get()));
    BOOST_TEST(!std::get<0>(co_await reading.get()));
    BOOST_TEST(stat_of(witness, data).version == 6);
    BOOST_TEST(held.owns_lock());
  });
}

// The client does not know yet that its entry is gone.
BOOST_AUTO_TEST_CASE(commit_of_a_stale_holder_changes_nothing) {
  run(io, [&]() -> asio::awaitable<void> {
    shared_mutex shared(other, path + "-shared");
    semaphore counted(other, path + "-counted", 3);
    std::vector<any_lock> locks{lock, shared, shared.shared(), counted.permits(2)};
    for (auto& each : locks) {
      const hold held = co_await each.acquire(10s);
      // Of several permits, the last.
      const auto all = co_await each.participants();
      witness.remove(all.back().node);
      BOOST_TEST((held.state() == hold_state::held));
      auto [error, result] = co_await held.commit(transaction().set(data, "x"), as_result);
      BOOST_TEST((error == errc::entry_deleted), error.message());
      BOOST_TEST(!result.failed_part.has_value());
      BOOST_TEST((held.state() == hold_state::lost));
      std::tie(error, result) = co_await held.commit(transaction().set(data, "x"), as_result);
      BOOST_TEST((error == errc::entry_deleted));
    }
    BOOST_TEST(stat_of(witness, data).version == 0);
  });
}

BOOST_AUTO_TEST_CASE(commit_of_an_empty_or_released_hold_fails) {
  run(io, [&]() -> asio::awaitable<void> {
    hold held;
    auto [error, result] = co_await held.commit(transaction().set(data, "x"), as_result);
    BOOST_TEST((error == errc::empty_hold));
    held = co_await lock.acquire(10s);
    co_await held.release();
    std::tie(error, result) = co_await held.commit(transaction().set(data, "x"), as_result);
    BOOST_TEST((error == errc::empty_hold));
    held = co_await lock.acquire(10s);
    co_await other.close();
    std::tie(error, result) = co_await held.commit(transaction().set(data, "x"), as_result);
    BOOST_TEST((error == errc::closed));
    BOOST_TEST(stat_of(witness, data).version == 0);
  });
}

BOOST_AUTO_TEST_CASE(commit_begun_before_the_release_is_carried_out) {
  run(io, [&]() -> asio::awaitable<void> {
    hold held = co_await lock.acquire(10s);
    pending<commit_result> committing;
    held.commit(transaction().set(data, "x"), committing.token());
    co_await held.release();
    BOOST_TEST(!std::get<0>(co_await committing.get()));
    BOOST_TEST(witness.get(data).data == "x");
  });
}

BOOST_AUTO_TEST_CASE(paths_of_a_commit_are_below_the_chroot) {
  client below(io, named("below", shared_server().address() + data));
  run(io, [&]() -> asio::awaitable<void> {
    mutex inside(below, "/lock");
    const hold held = co_await inside.acquire(10s);
    transaction writes;
    writes.set("/", "root").create("/a", "x").create("/a/n-", "", node_kind::persistent_sequential);
    const auto result = co_await held.commit(writes);
    BOOST_TEST(result.created == (std::vector<std::string>{"/a", "/a/n-0000000000"}),
               boost::test_tools::per_element());
    BOOST_TEST(witness.get(data).data == "root");
    BOOST_TEST(witness.get(data + "/a").data == "x");
  });
}

BOOST_AUTO_TEST_SUITE_END()
