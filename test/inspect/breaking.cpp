// break_lock: takes a lock from its holders.
#include "inspect/looking.hpp"
#include "testing/relay_hooks.hpp"

#include <boost/asio/detached.hpp>
#include <boost/test/unit_test.hpp>

using namespace zklock;
using namespace zklock::test;

BOOST_FIXTURE_TEST_SUITE(breaking, looking_scene, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(break_lock_of_a_free_lock_removes_nothing) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    const mutex lock(other, path);
    BOOST_TEST(co_await lock.break_lock() == 0u);
    BOOST_TEST(requests_sent() == "list=1");
    BOOST_TEST(!witness.exists(path).has_value());
  });
}

BOOST_AUTO_TEST_CASE(broken_holder_loses_the_lock_to_the_next_waiter) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    const auto stuck = enter(uuid('1') + "-lock-");
    mutex ours(zk, path);
    pending<hold> waiting;
    ours.acquire(60s, waiting.token());
    co_await wait_for_entries(witness, path, 2);
    const auto config = witness.create(path + "/config");
    const mutex lock(other, path);
    BOOST_TEST(co_await lock.break_lock() == 1u);
    BOOST_TEST(requests_sent() == "list=1 remove=1");
    BOOST_TEST(!witness.exists(stuck).has_value());
    BOOST_TEST(witness.exists(config).has_value());
    const auto [error, held] = co_await waiting.get();
    BOOST_TEST(held.owns_lock());
  });
}

BOOST_AUTO_TEST_CASE(hold_of_the_same_client_is_lost_at_once) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex plain(zk, path);
    shared_mutex shared(zk, path + "-shared");
    semaphore counted(zk, path + "-counted", 3);
    std::vector<any_lock> locks{plain, shared, shared.shared(), counted.permits(2)};
    for (auto& lock : locks) {
      const hold held = co_await lock.acquire(10s);
      pending<error_code> loss;
      held.wait_lost(loss.token());
      co_await lock.break_lock();
      BOOST_TEST((held.state() == hold_state::lost));
      BOOST_TEST((std::get<1>(co_await loss.get()) == errc::entry_deleted));
      hold next = co_await lock.acquire(10s);
      BOOST_TEST(next.owns_lock());
      co_await next.release();
    }
  });
}

BOOST_AUTO_TEST_CASE(broken_hold_is_lost_at_the_next_check) {
  auto options = named("checking", shared_server().address());
  options.check_interval = 100ms;
  client checking(io, options);
  run(io, [&]() -> asio::awaitable<void> {
    mutex ours(checking, path);
    const hold held = co_await ours.acquire(10s);
    co_await mutex(other, path).break_lock();
    BOOST_TEST((co_await held.wait_lost() == errc::entry_deleted));
  });
}

BOOST_AUTO_TEST_CASE(break_lock_removes_readers_and_leaves_those_behind_a_writer) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    enter(uuid('1') + "-__READ__");
    enter(uuid('2') + "-__READ__");
    enter(uuid('3') + "-__WRIT__");
    enter(uuid('4') + "-__READ__");
    const shared_mutex lock(other, path);
    BOOST_TEST(co_await lock.break_lock() == 2u);
    BOOST_TEST(requests_sent() == "list=1 remove=2");
    BOOST_TEST(entries(witness, path) == 2u);
    BOOST_TEST(co_await lock.shared().break_lock() == 1u);
    BOOST_TEST(entries(witness, path) == 1u);
  });
}

BOOST_AUTO_TEST_CASE(break_lock_removes_permits_and_leaves_waiters) {
  // A client believes in its own permits until a check looks for them.
  auto options = named("checking", shared_server().address());
  options.check_interval = 100ms;
  client checking(io, options);
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    semaphore ours(checking, path, 3);
    const hold first = co_await ours.acquire(2, 10s);
    const hold second = co_await ours.acquire(1, 10s);
    pending<hold> waiting;
    ours.acquire(3, 60s, waiting.token());
    co_await wait_for_entries(witness, path + "/locks", 1);
    const semaphore lock(other, path, 3);
    BOOST_TEST(co_await lock.break_lock() == 3u);
    BOOST_TEST(requests_sent() == "list=1 remove=3");
    const auto [error, held] = co_await waiting.get();
    BOOST_TEST(!error);
    BOOST_TEST(held.owns_lock());
    // Broken permits are not deleted a second time.
    BOOST_TEST(entries(witness, path + "/leases") == 3u);
  });
}

BOOST_AUTO_TEST_CASE(break_lock_of_one_participant_leaves_the_others) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    const auto first = enter(uuid('1') + "-lock-");
    const auto second = enter(uuid('2') + "-lock-");
    const mutex lock(other, path);
    const auto all = co_await lock.participants();
    door.reset_counts();
    BOOST_TEST(co_await lock.break_lock(all.at(1)) == 1u);
    BOOST_TEST(requests_sent() == "remove=1");
    BOOST_TEST(!witness.exists(second).has_value());
    BOOST_TEST(witness.exists(first).has_value());
    const participant gone = all.at(1);
    BOOST_TEST(co_await lock.break_lock(gone) == 0u);
  });
}

BOOST_AUTO_TEST_CASE(broken_waiter_is_requeued) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex ours(zk, path);
    hold held = co_await ours.acquire(10s);
    pending<hold> waiting;
    ours.acquire(60s, waiting.token());
    co_await wait_for_entries(witness, path, 2);
    const auto all = co_await ours.participants();
    BOOST_TEST(co_await ours.break_lock(all.at(1)) == 1u);
    co_await wait_for_entries(witness, path, 2);
    BOOST_TEST(held.owns_lock());
    co_await held.release();
    const auto [error, next] = co_await waiting.get();
    BOOST_TEST(next.owns_lock());
  });
}

BOOST_AUTO_TEST_CASE(hold_of_several_permits_is_lost_with_one) {
  run(io, [&]() -> asio::awaitable<void> {
    semaphore ours(zk, path, 3);
    const hold held = co_await ours.acquire(3, 10s);
    const auto all = co_await ours.participants();
    BOOST_TEST(co_await ours.break_lock(all.at(2)) == 1u);
    BOOST_TEST((held.state() == hold_state::lost));
    co_await wait_for_entries(witness, path + "/leases", 0);
  });
}

// After the reconnect another entry holds.
BOOST_AUTO_TEST_CASE(break_lock_with_a_lost_answer_removes_no_later_holder) {
  for (const bool done : {false, true}) {
    const auto place = path + (done ? "-done" : "-not");
    run(io, [&]() -> asio::awaitable<void> {
      const auto back = [&] { return other.connected(); };
      co_await eventually(back);
      witness.create_all(place);
      for (const char c : {'1', '2'})
        witness.create(place + "/" + uuid(c) + "-lock-", "",
                       testing::create_mode::ephemeral_sequential);
      const mutex lock(other, place);
      const auto hook =
          done ? testing::relay_hooks(door).cut_before_reply(testing::operation::remove)
               : testing::relay_hooks(door).cut_before_request(testing::operation::remove);
      BOOST_TEST(co_await lock.break_lock() == 1u);
      BOOST_TEST(hook.fired());
      BOOST_TEST(entries(witness, place) == 1u);
      BOOST_TEST(witness.children(place).front().starts_with(uuid('2')));
    });
  }
}

BOOST_AUTO_TEST_CASE(break_lock_of_a_bad_participant_or_without_permission_fails) {
  run(io, [&]() -> asio::awaitable<void> {
    const auto config = path + "/config";
    witness.create_all(config);
    const mutex lock(other, path);
    for (const auto& node :
         {std::string(), config, path, path + "x/" + uuid('1') + "-lock-0000000000"}) {
      const participant unknown{.node = node};
      const auto [error, count] = co_await lock.break_lock(unknown, as_result);
      BOOST_TEST((error == errc::bad_path));
      BOOST_TEST(count == 0u);
    }
    BOOST_TEST(witness.exists(config).has_value());
    const auto closed = path + "-closed";
    witness.create(closed, "", testing::create_mode::persistent, {{1 | 4, "world", "anyone"}});
    witness.create(closed + "/" + uuid('1') + "-lock-", "",
                   testing::create_mode::ephemeral_sequential);
    const auto [error, count] = co_await mutex(other, closed).break_lock(as_result);
    BOOST_TEST((error == errc::no_permission));
  });
}

// The checks, which would find it as well, come much later here.
BOOST_AUTO_TEST_CASE(waiter_whose_entry_was_deleted_loses_its_grant_after_one_round_trip) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    mutex ours(other, path);
    mutex theirs(zk, path);
    hold first = co_await ours.acquire(10s);
    pending<hold> waiting;
    ours.acquire(60s, waiting.token());
    co_await wait_for_entries(witness, path, 2);
    pending<hold> foreign;
    theirs.acquire(60s, foreign.token());
    co_await wait_for_entries(witness, path, 3);
    BOOST_TEST(co_await theirs.break_lock((co_await theirs.participants()).at(1)) == 1u);
    door.reset_counts();
    co_await first.release();
    const auto [error, second] = co_await waiting.get();
    BOOST_TEST(!error);
    // The reply that reports the loss came before the reply to the release.
    BOOST_TEST((second.state() == hold_state::lost));
    BOOST_TEST(requests_sent() == "remove=1 multi=1");
    BOOST_TEST((co_await second.wait_lost() == errc::entry_deleted));
    const auto [refused, third] = co_await foreign.get();
    BOOST_TEST(third.owns_lock());
    BOOST_TEST(third.token() > second.token());
  });
}

BOOST_AUTO_TEST_CASE(waiter_broken_by_its_own_client_is_not_granted_without_an_entry) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    mutex ours(other, path);
    hold first = co_await ours.acquire(10s);
    pending<hold> waiting;
    ours.acquire(60s, waiting.token());
    co_await wait_for_entries(witness, path, 2);
    co_await ours.break_lock((co_await ours.participants()).at(1));
    co_await first.release();
    const auto [error, second] = co_await waiting.get();
    BOOST_TEST(!error);
    BOOST_TEST(witness.exists(second.node()).has_value());
    BOOST_TEST(second.owns_lock());
  });
}

BOOST_AUTO_TEST_CASE(at_most_one_waiter_without_an_entry_is_granted) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    mutex ours(other, path);
    hold first = co_await ours.acquire(10s);
    int ended = 0;
    int without = 0;
    const auto stand = [&]() -> asio::awaitable<void> {
      const hold held = co_await ours.acquire(60s);
      if (!witness.exists(held.node())) {
        ++without;
        BOOST_TEST((co_await held.wait_lost() == errc::entry_deleted));
      }
      ++ended;
    };
    for (std::size_t i = 0; i < 3; ++i) {
      asio::co_spawn(io, stand(), asio::detached);
      co_await wait_for_entries(witness, path, i + 2);
    }
    for (const auto& each : witness.children(path))
      witness.remove(path + '/' + each);
    co_await first.release();
    const auto all = [&] { return ended == 3; };
    co_await eventually(all);
    BOOST_TEST(without <= 1);
    co_await wait_for_entries(witness, path, 0);
  });
}

BOOST_AUTO_TEST_SUITE_END()
