// participants: the holders and waiters of a lock, and their identities.
//
// Sources: CURATOR-598 for identities, CURATOR-316 for counting, ShedLock#184 for holders.
#include "inspect/looking.hpp"
#include "inspect/outstanding_requests.hpp"
#include "support/background.hpp"
#include "support/stat_of.hpp"
#include "testing/relay_hooks.hpp"

#include <boost/asio/detached.hpp>
#include <boost/test/unit_test.hpp>

#include <thread>

using namespace zklock;
using namespace zklock::test;

namespace {

std::vector<bool> holding(const std::vector<participant>& all) {
  std::vector<bool> found;
  for (const auto& each : all)
    found.push_back(each.is_holder);
  return found;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(participants, looking_scene, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(missing_path_has_no_participants) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    const mutex lock(other, path);
    BOOST_TEST((co_await lock.participants()).empty());
    BOOST_TEST(requests_sent() == "list=1");
    BOOST_TEST(co_await lock.count_waiting() == 0u);
    BOOST_TEST(requests_sent() == "list=1");
    const semaphore counted(other, path, 3);
    BOOST_TEST((co_await counted.participants()).empty());
    BOOST_TEST(requests_sent() == "list=2");
    BOOST_TEST(!witness.exists(path).has_value());
  });
}

BOOST_AUTO_TEST_CASE(mutex_lists_its_holder_and_its_waiters) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    mutex ours(zk, path);
    const hold held = co_await ours.acquire(10s);
    const auto curator = enter("_c_9d1b3f42-7c1e-4c5a-8a57-0e4f0b7b2a11-lock-", "10.0.0.7");
    const auto kazoo = enter("4f5be1a4a3db4d0bb2a5f93d56a5a2b5__lock__", "");
    enter("no-entry-");
    witness.create(path + "/config", "x");
    const mutex lock(other, path);
    door.reset_counts();
    const auto all = co_await lock.participants();
    // A list, and a read for each entry, sent at once.
    BOOST_TEST(requests_sent() == "list=1 get=3");
    BOOST_REQUIRE(all.size() == 3u);
    BOOST_TEST(holding(all) == (std::vector<bool>{true, false, false}),
               boost::test_tools::per_element());
    BOOST_TEST(all[0].node == held.node());
    BOOST_TEST(all[1].node == curator);
    BOOST_TEST(all[2].node == kazoo);
    BOOST_TEST(all[0].identity == "holder");
    BOOST_TEST(all[1].identity == "10.0.0.7");
    BOOST_TEST(all[2].identity == "");
    BOOST_TEST((all[0].token == held.token()));
    BOOST_TEST(all[0].session_id == zk.session_id());
    BOOST_TEST(all[1].session_id == witness.session_id());
    BOOST_TEST(all[0].number == 0);
    BOOST_TEST(all[1].number == 1);
    BOOST_TEST((all[0].role == participant_role::exclusive));
    const auto since = all[0].queued_since.time_since_epoch() / 1ms;
    BOOST_TEST(since == stat_of(witness, held.node()).ctime);
    BOOST_TEST(!all[0].release_requested);
    BOOST_TEST(co_await lock.count_waiting() == 2u);
    BOOST_TEST(requests_sent() == "list=1");
  });
}

BOOST_AUTO_TEST_CASE(readers_hold_together_and_a_writer_holds_alone) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    const shared_mutex lock(other, path);
    const auto reader = enter(uuid('1') + "-__READ__");
    enter(uuid('2') + "-__READ__");
    const auto writer = enter(uuid('3') + "-__WRIT__");
    enter(uuid('4') + "-__READ__");
    auto all = co_await lock.shared().participants();
    BOOST_TEST(holding(all) == (std::vector<bool>{true, true, false, false}),
               boost::test_tools::per_element());
    BOOST_TEST((all[1].role == participant_role::shared));
    BOOST_TEST((all[2].role == participant_role::exclusive));
    BOOST_TEST(co_await lock.count_waiting() == 2u);
    witness.remove(reader);
    witness.remove(all[1].node);
    all = co_await lock.participants();
    BOOST_TEST(holding(all) == (std::vector<bool>{true, false}), boost::test_tools::per_element());
    // The writer is a reader, too, as Curator's may be.
    witness.create(path + "/" + uuid('5') + "-__READ__" + writer.substr(writer.size() - 10), "",
                   testing::create_mode::ephemeral);
    all = co_await lock.participants();
    BOOST_TEST(holding(all) == (std::vector<bool>{true, true, false}),
               boost::test_tools::per_element());
  });
}

BOOST_AUTO_TEST_CASE(semaphore_lists_permits_first_and_then_waiters) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    semaphore ours(zk, path, 3);
    const hold first = co_await ours.acquire(2, 10s);
    const auto lease =
        witness.create(path + "/leases/_c_9d1b3f42-7c1e-4c5a-8a57-0e4f0b7b2a11-lease-", "10.0.0.7",
                       testing::create_mode::ephemeral_sequential);
    pending<hold> second;
    ours.acquire(2, 60s, second.token());
    co_await wait_for_entries(witness, path + "/locks", 1);
    const semaphore lock(other, path, 3);
    door.reset_counts();
    const auto all = co_await lock.participants();
    BOOST_TEST(requests_sent() == "list=2 get=4");
    BOOST_TEST(holding(all) == (std::vector<bool>{true, true, true, false}),
               boost::test_tools::per_element());
    BOOST_TEST(all[0].node == first.node());
    BOOST_TEST(all[2].node == lease);
    BOOST_TEST(all[3].node.starts_with(path + "/locks/"));
    for (const auto& each : all)
      BOOST_TEST((each.role == participant_role::permit));
    BOOST_TEST(co_await lock.count_waiting() == 1u);
    BOOST_TEST(requests_sent() == "list=1");
  });
}

BOOST_AUTO_TEST_CASE(nodes_are_listed_with_the_chroot) {
  witness.create_all(path + "/root");
  client below(io, named("below", shared_server().address() + path + "/root"));
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(below, "/lock");
    const hold held = co_await lock.acquire(10s);
    const auto all = co_await lock.participants();
    BOOST_REQUIRE(all.size() == 1u);
    BOOST_TEST(all[0].node == held.node());
    BOOST_TEST(all[0].node.starts_with(path + "/root/lock/_c_"));
  });
}

// An entry that leaves between the list and the read is left out, and the next in line holds.
BOOST_AUTO_TEST_CASE(entry_that_leaves_during_the_query_is_left_out) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    const auto first = enter("_c_9d1b3f42-7c1e-4c5a-8a57-0e4f0b7b2a11-lock-");
    const auto second = enter("_c_9d1b3f42-7c1e-4c5a-8a57-0e4f0b7b2a12-lock-");
    // The reply with the list is held back until the first entry has left.
    testing::raw_client remover(shared_server().direct_address());
    const auto hook = testing::relay_hooks(door).when(
        testing::direction::to_client,
        [&](const testing::frame& each) {
          if (each.kind != testing::operation::get_children2) return false;
          remover.remove(first);
          return true;
        },
        testing::reaction::observe);
    const mutex lock(other, path);
    const auto all = co_await lock.participants();
    BOOST_TEST(hook.fired());
    BOOST_REQUIRE(all.size() == 1u);
    BOOST_TEST(all[0].node == second);
    BOOST_TEST(all[0].is_holder);
  });
}

BOOST_AUTO_TEST_CASE(query_starts_again_after_a_lost_connection) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    enter("_c_9d1b3f42-7c1e-4c5a-8a57-0e4f0b7b2a11-lock-");
    const mutex lock(other, path);
    for (const auto kind : {testing::operation::get_children2, testing::operation::get_data}) {
      const auto hook = testing::relay_hooks(door).cut_before_reply(kind);
      BOOST_TEST((co_await lock.participants()).size() == 1u);
      BOOST_TEST(hook.fired());
    }
  });
}

BOOST_AUTO_TEST_CASE(query_without_a_connection_fails_in_time) {
  testing::relay closed(shared_server().direct_address());
  closed.refuse();
  auto options = named("lonely", closed.address());
  options.connect_timeout = 200ms;
  client lonely(io, options);
  run(io, [&]() -> asio::awaitable<void> {
    const mutex lock(lonely, path);
    const auto [error, none] = co_await lock.participants(as_result);
    BOOST_TEST((error == errc::not_connected));
    const auto [also, count] = co_await lock.count_waiting(as_result);
    BOOST_TEST((also == errc::not_connected));
  });
}

BOOST_AUTO_TEST_CASE(query_can_be_cancelled_and_ends_with_its_client) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    door.silence();
    const mutex lock(other, path);
    pending<std::vector<participant>> looking;
    asio::cancellation_signal stop;
    lock.participants(asio::bind_cancellation_slot(stop.slot(), looking.token()));
    BOOST_TEST(!looking.done());
    stop.emit(asio::cancellation_type::total);
    BOOST_TEST(!looking.done());
    BOOST_TEST((std::get<0>(co_await looking.get()) == asio::error::operation_aborted));
    pending<std::size_t> counting;
    lock.count_waiting(counting.token());
    other.close(asio::detached);
    BOOST_TEST((std::get<0>(co_await counting.get()) == errc::closed));
    const auto [error, none] = co_await lock.participants(as_result);
    BOOST_TEST((error == errc::closed));
  });
}

BOOST_AUTO_TEST_CASE(any_thread_may_query_and_request_release) {
  background context(3);
  client busy(context.io, options_for(shared_server().address()));
  mutex lock(busy, path);
  const hold held = get(lock.acquire(30s, asio::use_future));
  const participant holder = get(lock.participants(asio::use_future)).at(0);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < 20; ++j) {
        auto asked = held.wait_release_requested(asio::use_future);
        auto all = lock.participants(asio::use_future);
        auto count = lock.count_waiting(asio::use_future);
        auto changed = lock.wait_holder_changed(std::nullopt, asio::use_future);
        auto done = held.commit(transaction().check("/"), asio::use_future);
        get(lock.request_release(holder, asio::use_future));
        get(asked);
        get(all);
        get(count);
        get(changed);
        get(done);
      }
    });
  for (auto& each : threads)
    each.join();
  BOOST_TEST(held.owns_lock());
}

BOOST_AUTO_TEST_CASE(query_without_read_permission_fails) {
  run(io, [&]() -> asio::awaitable<void> {
    witness.create_all(path);
    witness.create(path + "/_c_9d1b3f42-7c1e-4c5a-8a57-0e4f0b7b2a11-lock-", "",
                   testing::create_mode::ephemeral_sequential, {{4, "world", "anyone"}});
    const mutex lock(other, path);
    const auto [error, none] = co_await lock.participants(as_result);
    BOOST_TEST((error == errc::no_permission));
    BOOST_TEST(co_await lock.count_waiting() == 0u);
  });
}

BOOST_AUTO_TEST_CASE(holders_are_listed_without_the_waiters) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    mutex ours(zk, path);
    const mutex lock(other, path);
    BOOST_TEST((co_await lock.holders()).empty());
    const hold held = co_await ours.acquire(10s);
    enter(uuid('1') + "-lock-");
    enter(uuid('2') + "-lock-");
    BOOST_TEST(!(co_await mutex(other, path).try_acquire()));
    door.reset_counts();
    const auto all = co_await lock.holders();
    BOOST_TEST(requests_sent() == "list=1 get=1");
    BOOST_TEST_REQUIRE(all.size() == 1u);
    BOOST_TEST(all[0].node == held.node());
    BOOST_TEST(all[0].identity == "holder");
    BOOST_TEST(all[0].is_holder);
  });
}

BOOST_AUTO_TEST_CASE(readers_and_permits_are_holders) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    const shared_mutex lock(other, path);
    const auto one = enter(uuid('1') + "-__READ__");
    const auto two = enter(uuid('2') + "-__READ__");
    enter(uuid('3') + "-__WRIT__");
    const auto readers = co_await lock.holders();
    BOOST_TEST_REQUIRE(readers.size() == 2u);
    BOOST_TEST(readers[0].node == one);
    BOOST_TEST(readers[1].node == two);

    semaphore permits(zk, path + "/permits", 3);
    const hold held = co_await permits.acquire(2, 10s);
    const auto taken = co_await semaphore(other, path + "/permits", 3).holders();
    BOOST_TEST_REQUIRE(taken.size() == 2u);
    BOOST_TEST(taken[0].node == held.node());
    BOOST_TEST(taken[1].identity == "holder");
  });
}

BOOST_AUTO_TEST_CASE(hold_tells_since_when_it_stands) {
  run(io, [&]() -> asio::awaitable<void> {
    using clock = std::chrono::steady_clock;
    const hold none;
    BOOST_TEST((none.held_since() == clock::time_point::min()));
    shared_mutex lock(zk, path);
    hold first = co_await lock.acquire(10s);
    pending<hold> second;
    lock.acquire(second.token());
    co_await wait_for_entries(witness, path, 2);
    const auto queued = clock::now();
    BOOST_TEST((first.held_since() <= queued));
    co_await first.release();
    auto result = co_await second.get();
    auto& held = std::get<1>(result);
    BOOST_TEST((held.held_since() >= queued));
    const auto since = held.held_since();
    BOOST_TEST((since <= clock::now()));
    co_await held.downgrade();
    BOOST_TEST((held.held_since() == since));
  });
}

BOOST_AUTO_TEST_CASE(many_participants_are_read_with_few_requests_at_a_time) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    constexpr std::size_t count = 300;
    for (std::size_t i = 0; i < count; ++i)
      enter(uuid('1') + "-__READ__");
    const shared_mutex lock(other, path);
    const outstanding_requests reads(door, testing::operation::get_data);
    BOOST_TEST((co_await lock.participants()).size() == count);
    BOOST_TEST(reads.most() > 1);
    BOOST_TEST(reads.most() <= 64);
    BOOST_TEST((co_await lock.holders()).size() == count);
    BOOST_TEST(reads.most() <= 64);
    const outstanding_requests removals(door, testing::operation::remove);
    BOOST_TEST(co_await lock.break_lock() == count);
    BOOST_TEST(removals.most() > 1);
    BOOST_TEST(removals.most() <= 64);
  });
}

BOOST_AUTO_TEST_CASE(oldest_of_many_permits_is_found_with_few_requests_at_a_time) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    witness.create_all(path + "/leases");
    for (int i = 0; i < 300; ++i)
      witness.create(path + "/leases/" + uuid('1') + "-lease-", "",
                     testing::create_mode::ephemeral_sequential);
    const semaphore lock(other, path, 400);
    const outstanding_requests reads(door, testing::operation::get_data);
    const auto holder = co_await lock.wait_holder_changed(std::nullopt);
    BOOST_REQUIRE(holder.has_value());
    BOOST_TEST(holder->node.ends_with("0000000000"));
    BOOST_TEST(reads.most() > 1);
    BOOST_TEST(reads.most() <= 64);
    BOOST_TEST((co_await lock.participants()).size() == 300u);
    BOOST_TEST(reads.most() <= 64);
  });
}

BOOST_AUTO_TEST_SUITE_END()
