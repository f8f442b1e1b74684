// The identity of an acquire and of a hold: acquire_options::identity and hold::set_identity.
#include <zklock/acquire_any.hpp>
#include <zklock/election.hpp>
#include <zklock/multi_lock.hpp>

#include "cache/caching.hpp"
#include "inspect/looking.hpp"
#include "kinds/kinds.hpp"
#include "testing/relay_hooks.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

using namespace zklock;
using namespace zklock::test;

namespace {

std::vector<std::string> identities_of(const std::vector<participant>& all) {
  std::vector<std::string> found;
  for (const auto& each : all)
    found.push_back(each.identity);
  return found;
}

// Too long, not UTF-8, and read as a release request.
const std::vector<std::string> bad_identities{std::string(4097, 'x'), "\xff", "__REVOKE__",
                                              "__REVOKE__\nasker\nholder"};

struct identity_scene : looking_scene {
  /// The second client, whose requests are counted, has the lock.
  mutex lock{other, path};
  mutex theirs{zk, path};

  std::string data_of(const hold& held) { return witness.get(held.node()).data; }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(identity, identity_scene, *boost::unit_test::timeout(120))

BOOST_DATA_TEST_CASE(holder_and_waiter_of_each_kind_have_their_identities, all_kinds, what) {
  run(io, [&]() -> asio::awaitable<void> {
    const any_lock used = make(what, zk, path);
    const bool shares = what == kind::reader;
    // A reader waits for a writer.
    any_lock first = shares ? any_lock(shared_mutex(zk, path)) : used;
    hold held = co_await first.acquire({.timeout = 30s, .identity = "http://10.0.0.7:80"});
    pending<hold> waiting;
    any_lock second = used;
    second.acquire({.timeout = 30s, .identity = "second"}, waiting.token());
    const auto in_line = directories_of(what, path).size() == 1 ? path : path + "/locks";
    co_await wait_for_entries(witness, in_line, in_line == path ? 2 : 1);
    const any_lock looked = make(what, other, path);
    const auto all = co_await looked.participants();
    BOOST_TEST(all.front().identity == "http://10.0.0.7:80");
    BOOST_TEST(all.back().identity == "second");
    for (const auto& each : co_await looked.holders())
      BOOST_TEST(each.identity == "http://10.0.0.7:80");
    const auto found = co_await other.find_locks(path);
    BOOST_TEST_REQUIRE(found.size() == 1u);
    BOOST_TEST(identities_of(found[0].participants) == identities_of(all),
               boost::test_tools::per_element());
    co_await held.release();
    BOOST_TEST(!co_await waiting.wait());
    BOOST_TEST(data_of(waiting.result()) == "second");
  });
}

BOOST_DATA_TEST_CASE(hold_of_each_kind_changes_its_identity, all_kinds, what) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    any_lock used = make(what, other, path);
    const hold held = co_await used.acquire(30s);
    door.reset_counts();
    co_await held.set_identity("first");
    BOOST_TEST(requests_sent() == "set=1");
    co_await held.set_identity("second");
    BOOST_TEST(requests_sent() == "set=1");
    const auto holders = co_await make(what, zk, path).holders();
    BOOST_TEST(holders.size() == nodes_of(what));
    for (const auto& each : holders)
      BOOST_TEST(each.identity == "second");
    co_await held.set_identity("");
    BOOST_TEST(data_of(held) == "asker");
    BOOST_TEST(held.owns_lock());
  });
}

BOOST_AUTO_TEST_CASE(bad_identity_of_an_acquire_fails_and_sends_nothing) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    for (const auto& each : bad_identities) {
      const auto [error, none] =
          co_await lock.acquire({.timeout = 30s, .identity = each}, as_result);
      BOOST_TEST((error == errc::bad_identity));
    }
    BOOST_TEST(requests_sent() == "");
    const hold held = co_await lock.acquire({.timeout = 30s, .identity = std::string(4096, 'x')});
    BOOST_TEST(data_of(held) == std::string(4096, 'x'));
  });
}

BOOST_AUTO_TEST_CASE(bad_identity_of_a_hold_fails_and_changes_nothing) {
  run(io, [&]() -> asio::awaitable<void> {
    const hold held = co_await lock.acquire(30s);
    door.reset_counts();
    for (const auto& each : bad_identities) {
      const auto [error] = co_await held.set_identity(each, as_result);
      BOOST_TEST((error == errc::bad_identity));
    }
    BOOST_TEST(requests_sent() == "");
    BOOST_TEST(data_of(held) == "asker");
    // Only a whole line is a request.
    co_await held.set_identity("__REVOKE__D");
    BOOST_TEST(data_of(held) == "__REVOKE__D");
  });
}

BOOST_AUTO_TEST_CASE(each_lock_of_several_gets_the_identity) {
  run(io, [&]() -> asio::awaitable<void> {
    const multi_lock both(mutex(zk, path + "-a"), mutex(zk, path + "-b"));
    const multi_hold held = co_await both.acquire({.timeout = 30s, .identity = "both"});
    BOOST_TEST(data_of(held.holds().front()) == "both");
    BOOST_TEST(data_of(held.holds().back()) == "both");
    co_await held.holds().front().set_identity("one");
    BOOST_TEST(data_of(held.holds().front()) == "one");
    BOOST_TEST(data_of(held.holds().back()) == "both");
    std::vector<any_lock> two{mutex(zk, path + "-a"), mutex(zk, path + "-c")};
    const acquire_options options{.timeout = 30s, .identity = "any"};
    const auto [which, any] = co_await acquire_any(std::move(two), options);
    BOOST_TEST(which == 1u);
    BOOST_TEST(data_of(any) == "any");
  });
}

BOOST_AUTO_TEST_CASE(reader_body_and_leader_have_their_identities) {
  run(io, [&]() -> asio::awaitable<void> {
    const auto expect = [this](std::string_view identity) {
      return [this, identity](hold& held) -> asio::awaitable<void> {
        BOOST_TEST(data_of(held) == identity);
        co_return;
      };
    };
    auto lead = expect("leader");
    auto work = expect("worker");
    const shared_mutex shared(zk, path + "-shared");
    const hold reader = co_await shared.acquire_shared({.timeout = 30s, .identity = "reader"});
    BOOST_TEST(data_of(reader) == "reader");
    co_await with_lock(lock, {.timeout = 30s, .identity = "worker"}, work);
    co_await election(zk, path + "-leader").run({.identity = "leader"}, lead);
  });
}

// The operations begin when the text of the program is gone.
BOOST_AUTO_TEST_CASE(text_is_copied_by_the_call) {
  run(io, [&]() -> asio::awaitable<void> {
    const election leaders(zk, path + "-leader");
    const auto expect = [this](hold& held) -> asio::awaitable<void> {
      BOOST_TEST(data_of(held) == std::string(100, 'x'));
      co_return;
    };
    std::string text(100, 'x');
    const acquire_options options{.timeout = 30s, .identity = text};
    auto acquire = lock.acquire(options);
    auto several = multi_lock(mutex(zk, path + "-a")).acquire(options);
    auto any = acquire_any({mutex(zk, path + "-b")}, options);
    auto body = with_lock(mutex(zk, path + "-c"), options, expect);
    auto leader = leaders.run(options, expect);
    text.assign(100, 'y');
    text = std::string();
    const hold first = co_await std::move(acquire);
    BOOST_TEST(data_of(first) == std::string(100, 'x'));
    const multi_hold second = co_await std::move(several);
    BOOST_TEST(data_of(second.holds().front()) == std::string(100, 'x'));
    const auto [which, third] = co_await std::move(any);
    BOOST_TEST(data_of(third) == std::string(100, 'x'));
    co_await std::move(body);
    co_await std::move(leader);
  });
}

BOOST_AUTO_TEST_CASE(try_has_its_identity) {
  run(io, [&]() -> asio::awaitable<void> {
    const hold held = co_await lock.acquire({.timeout = 0s, .identity = "a try"});
    BOOST_TEST(data_of(held) == "a try");
  });
}

BOOST_AUTO_TEST_CASE(further_acquire_of_an_owner_keeps_the_identity) {
  run(io, [&]() -> asio::awaitable<void> {
    const owner me;
    const hold first = co_await lock.acquire({.timeout = 30s, .owner = me, .identity = "first"});
    const hold second = co_await lock.acquire({.timeout = 30s, .owner = me, .identity = "second"});
    BOOST_TEST(data_of(second) == "first");
    co_await second.set_identity("third");
    BOOST_TEST(data_of(first) == "third");
  });
}

BOOST_AUTO_TEST_CASE(downgrade_keeps_the_identity) {
  run(io, [&]() -> asio::awaitable<void> {
    shared_mutex rw(other, path);
    for (const bool changes : {false, true}) {
      hold held = co_await rw.acquire({.timeout = 30s, .identity = "writer"});
      if (changes) co_await held.set_identity("changed");
      co_await held.downgrade();
      BOOST_TEST(data_of(held) == (changes ? "changed" : "writer"));
      co_await held.set_identity("reader");
      BOOST_TEST(data_of(held) == "reader");
    }
  });
}

BOOST_AUTO_TEST_CASE(change_during_a_downgrade_is_not_lost) {
  run(io, [&]() -> asio::awaitable<void> {
    shared_mutex rw(other, path);
    hold held = co_await rw.acquire(30s);
    pending<> downgraded, changed;
    held.downgrade(downgraded.token());
    held.set_identity("reader", changed.token());
    BOOST_TEST(!co_await downgraded.wait());
    BOOST_TEST(!co_await changed.wait());
    BOOST_TEST(data_of(held) == "reader");
  });
}

BOOST_AUTO_TEST_CASE(last_of_several_changes_counts) {
  run(io, [&]() -> asio::awaitable<void> {
    const hold held = co_await lock.acquire(30s);
    std::vector<pending<>> changes(10);
    for (std::size_t i = 0; i < changes.size(); ++i)
      held.set_identity("change " + std::to_string(i), changes[i].token());
    for (auto& each : changes)
      BOOST_TEST(!co_await each.wait());
    BOOST_TEST(data_of(held) == "change 9");
  });
}

BOOST_AUTO_TEST_CASE(cancelled_change_leaves_other_changes_alone) {
  run(io, [&]() -> asio::awaitable<void> {
    const hold held = co_await lock.acquire(30s);
    pending<> first, second;
    asio::cancellation_signal stop;
    held.set_identity("first", asio::bind_cancellation_slot(stop.slot(), first.token()));
    held.set_identity("second", second.token());
    stop.emit(asio::cancellation_type::terminal);
    BOOST_TEST((co_await first.wait() == asio::error::operation_aborted));
    BOOST_TEST(!co_await second.wait());
    BOOST_TEST(data_of(held) == "second");
  });
}

BOOST_AUTO_TEST_CASE(change_ends_with_the_hold) {
  run(io, [&]() -> asio::awaitable<void> {
    hold held = co_await lock.acquire(30s);
    pending<> change;
    held.set_identity("late", change.token());
    co_await held.release();
    // The change was sent before the release, and may be answered before.
    const auto error = co_await change.wait();
    BOOST_TEST((!error || error == asio::error::operation_aborted));
    const auto [empty] = co_await held.set_identity("later", as_result);
    BOOST_TEST((empty == errc::empty_hold));

    const hold lost = co_await lock.acquire(30s);
    witness.remove(lost.node());
    const auto [gone] = co_await lost.set_identity("lost", as_result);
    BOOST_TEST((gone == errc::entry_deleted));
    BOOST_TEST((lost.state() == hold_state::lost));
  });
}

BOOST_AUTO_TEST_CASE(change_goes_on_after_a_lost_connection) {
  run(io, [&]() -> asio::awaitable<void> {
    const hold held = co_await lock.acquire(30s);
    {
      const auto hook = testing::relay_hooks(door).cut_before_request(testing::operation::set_data);
      co_await held.set_identity("first");
      BOOST_TEST(hook.fired());
    }
    BOOST_TEST(data_of(held) == "first");
    door.reset_counts();
    const auto hook = testing::relay_hooks(door).cut_before_reply(testing::operation::set_data);
    co_await held.set_identity("second");
    BOOST_TEST(hook.fired());
    BOOST_TEST(data_of(held) == "second");
    BOOST_TEST(held.owns_lock());
    // Written once: the read on the new connection shows it.
    BOOST_TEST(door.requests(testing::operation::set_data) == 1u);
  });
}

// Release requests.

BOOST_AUTO_TEST_CASE(change_keeps_a_release_request) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    const hold held = co_await lock.acquire(30s);
    co_await theirs.request_release((co_await theirs.participants()).at(0));
    door.reset_counts();
    co_await held.set_identity("changed");
    BOOST_TEST(requests_sent() == "get=1 set=2");
    BOOST_TEST(data_of(held) == "__REVOKE__\nholder\nchanged");
    const auto all = co_await theirs.participants();
    BOOST_TEST(all.at(0).release_requested);
    BOOST_TEST(all.at(0).identity == "changed");
    BOOST_TEST(co_await held.wait_release_requested() == "holder");
    // It is reported once, however often it is written again.
    pending<std::string> next;
    held.wait_release_requested(next.token());
    door.reset_counts();
    co_await held.set_identity("changed again");
    BOOST_TEST(data_of(held) == "__REVOKE__\nholder\nchanged again");
    co_await watched(held.node());
    BOOST_TEST(!next.done());
    BOOST_TEST(door.requests(testing::operation::set_data) == 1u);
    co_await theirs.request_release((co_await theirs.participants()).at(0));
    BOOST_TEST(std::get<1>(co_await next.get()) == "holder");
  });
}

BOOST_AUTO_TEST_CASE(change_keeps_the_request_of_curators_revoker) {
  run(io, [&]() -> asio::awaitable<void> {
    const hold held = co_await lock.acquire(30s);
    pending<std::string> request;
    held.wait_release_requested(request.token());
    co_await watched(held.node());
    witness.set(held.node(), "__REVOKE__");
    BOOST_TEST(!co_await request.wait());
    co_await held.set_identity("changed");
    BOOST_TEST(data_of(held) == "__REVOKE__\n\nchanged");
    BOOST_TEST((co_await theirs.participants()).at(0).release_requested);
  });
}

BOOST_AUTO_TEST_CASE(change_with_a_lost_answer_does_not_repeat_a_release_request) {
  run(io, [&]() -> asio::awaitable<void> {
    const hold held = co_await lock.acquire(30s);
    witness.set(held.node(), "__REVOKE__");
    BOOST_TEST(co_await held.wait_release_requested() == "");
    co_await held.set_identity("known");
    pending<std::string> next;
    held.wait_release_requested(next.token());
    co_await watched(held.node());
    const auto hook = testing::relay_hooks(door).cut_before_reply(testing::operation::set_data);
    co_await held.set_identity("changed");
    BOOST_TEST(hook.fired());
    BOOST_TEST(data_of(held) == "__REVOKE__\n\nchanged");
    co_await watched(held.node());
    BOOST_TEST(!next.done());
    witness.set(held.node(), "__REVOKE__\nanother\nchanged");
    BOOST_TEST(std::get<1>(co_await next.get()) == "another");
  });
}

BOOST_AUTO_TEST_CASE(change_is_no_release_request) {
  run(io, [&]() -> asio::awaitable<void> {
    const hold held = co_await lock.acquire(30s);
    pending<std::string> request;
    held.wait_release_requested(request.token());
    for (int i = 0; i < 3; ++i) {
      co_await watched(held.node());
      co_await held.set_identity("change " + std::to_string(i));
    }
    co_await watched(held.node());
    BOOST_TEST(!request.done());
    witness.set(held.node(), "__REVOKE__");
    BOOST_TEST(!co_await request.wait());
  });
}

// Watchers.

BOOST_DATA_TEST_CASE(watcher_sees_the_identity_change, all_kinds, what) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    any_lock used = make(what, zk, path);
    const any_lock looked = make(what, other, path);
    const hold held = co_await used.acquire({.timeout = 30s, .identity = "first"});
    const auto first = co_await looked.wait_holder_changed(std::nullopt);
    BOOST_TEST_REQUIRE(first.has_value());
    BOOST_TEST(first->identity == "first");
    pending<std::optional<participant>> change;
    looked.wait_holder_changed(first, change.token());
    co_await watched(held.node());
    co_await held.set_identity("second");
    const auto [error, second] = co_await change.get();
    BOOST_TEST(!error);
    BOOST_TEST_REQUIRE(second.has_value());
    BOOST_TEST(second->identity == "second");
    BOOST_TEST(second->node == first->node);
    BOOST_TEST((second->token == first->token));
    BOOST_TEST(second->is_holder);
    // A watcher that knows the earlier identity need not wait.
    const auto again = co_await looked.wait_holder_changed(first);
    BOOST_TEST_REQUIRE(again.has_value());
    BOOST_TEST(again->identity == "second");
    // Its watch is removed.
    const auto unwatched = [&held] { return !is_watched(held.node()); };
    co_await eventually(unwatched);
  });
}

BOOST_AUTO_TEST_CASE(watcher_does_not_take_a_release_request_for_a_change) {
  run(io, [&]() -> asio::awaitable<void> {
    const hold held = co_await lock.acquire({.timeout = 30s, .identity = "first"});
    const auto first = co_await theirs.wait_holder_changed(std::nullopt);
    BOOST_TEST_REQUIRE(first.has_value());
    pending<std::optional<participant>> change;
    theirs.wait_holder_changed(first, change.token());
    co_await watched(held.node());
    co_await theirs.request_release(*first);
    co_await watched(held.node());
    witness.set(held.node(), "__REVOKE__");
    co_await watched(held.node());
    BOOST_TEST(!change.done());
    co_await held.set_identity("second");
    const auto [error, second] = co_await change.get();
    BOOST_TEST_REQUIRE(second.has_value());
    BOOST_TEST(second->identity == "second");
    BOOST_TEST(second->release_requested);
  });
}

BOOST_AUTO_TEST_SUITE_END()

// The lock cache and hand-overs.

BOOST_FIXTURE_TEST_SUITE(identity_of_cached_locks, caching_scene, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(acquire_with_an_identity_does_not_use_a_cached_entry) {
  run(io, [&]() -> asio::awaitable<void> {
    for (const auto timeout : {30s, 0s}) {
      // A lock whose entry was evicted is not cached for a while.
      const auto where = fresh_path();
      mutex cached(zk, where);
      co_await keep(cached);
      co_await keep(cached);
      BOOST_TEST(entries(witness, where) == 1u);
      hold held = co_await cached.acquire({.timeout = timeout, .identity = "named"});
      BOOST_TEST(witness.get(held.node()).data == "named");
      BOOST_TEST(held.token().turn() == 0u);
      BOOST_TEST(entries(witness, where) == 1u);
      co_await held.release();
      BOOST_TEST(entries(witness, where) == 0u);
    }
  });
}

BOOST_AUTO_TEST_CASE(entry_of_a_changed_identity_is_not_cached) {
  run(io, [&]() -> asio::awaitable<void> {
    for (const char* text : {"named", ""}) {
      co_await keep(lock);
      co_await warm();
      hold held = co_await lock.acquire(30s);
      BOOST_TEST(held.token().turn() > 0u);
      co_await held.set_identity(text);
      co_await held.release();
      BOOST_TEST(entries(witness, path) == 0u);
    }
    co_await keep(lock);
    co_await warm();
    BOOST_TEST(entries(witness, path) == 1u);
  });
}

BOOST_AUTO_TEST_CASE(waiters_with_and_without_identity_are_served_in_order) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    co_await warm();
    hold held = co_await lock.acquire(30s);
    std::vector<std::string> seen;
    std::vector<asio::awaitable<void>> all;
    for (int i = 0; i < 12; ++i)
      all.push_back([](caching_scene& s, std::vector<std::string>& order,
                       int number) -> asio::awaitable<void> {
        const bool named = number % 3 == 0;
        const auto identity = named ? "waiter " + std::to_string(number) : std::string();
        hold got = co_await s.lock.acquire({.timeout = 30s, .identity = identity});
        order.push_back(identity);
        const auto data = s.witness.get(got.node()).data;
        BOOST_TEST((named ? data == identity : data.find("waiter") == data.npos));
        co_await got.release();
      }(*this, seen, i));
    all.push_back([](hold& first) -> asio::awaitable<void> { co_await first.release(); }(held));
    co_await together(std::move(all));
    BOOST_TEST(seen.size() == 12u);
    for (std::size_t i = 0; i < seen.size(); ++i)
      BOOST_TEST(seen[i] == (i % 3 == 0 ? "waiter " + std::to_string(i) : ""));
  });
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(identity_of_entries, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(entry_with_an_identity_is_not_handed_over) {
  auto options = options_for(shared_server().address(), 30s);
  options.local_handoffs = 4;
  scene s({.ours = options});
  mutex lock(s.zk, s.path);
  run(s.io, [&]() -> asio::awaitable<void> {
    for (const bool first_is_named : {false, true}) {
      hold held =
          co_await lock.acquire({.timeout = 30s, .identity = first_is_named ? "first" : ""});
      pending<hold> next;
      lock.acquire({.timeout = 30s, .identity = first_is_named ? "" : "next"}, next.token());
      co_await wait_for_entries(s.witness, s.path, 2);
      const auto node = held.node();
      co_await held.release();
      BOOST_TEST(!co_await next.wait());
      BOOST_TEST(next.result().node() != node);
      BOOST_TEST(next.result().token().turn() == 0u);
      BOOST_TEST((s.witness.get(next.result().node()).data == "next") == !first_is_named);
      co_await next.result().release();
    }
  });
}

// Another program deletes the first entry of a client, and its acquisitions move up.
BOOST_AUTO_TEST_CASE(acquisition_that_moves_up_gets_its_identity_written) {
  two_clients s({.ours = caching_scene::attentive()});
  mutex lock(s.zk, s.path);
  mutex theirs(s.other, s.path);
  run(s.io, [&]() -> asio::awaitable<void> {
    hold before = co_await theirs.acquire(30s);
    std::vector<pending<hold>> waiting(2);
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      lock.acquire({.timeout = 30s, .identity = "waiter " + std::to_string(i)}, waiting[i].token());
      co_await wait_for_entries(s.witness, s.path, 2 + i);
    }
    const auto line = co_await lock.participants();
    BOOST_TEST(line.at(1).identity == "waiter 0");
    s.witness.remove(line.at(1).node);
    // The last of the waiters gets in line again.
    co_await wait_for_entries(s.witness, s.path, 3);
    co_await before.release();
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      BOOST_TEST(!co_await waiting[i].wait());
      const auto node = waiting[i].result().node();
      const auto written = [&] {
        return s.witness.get(node).data == "waiter " + std::to_string(i);
      };
      co_await eventually(written);
      co_await waiting[i].result().release();
    }
    co_await wait_for_entries(s.witness, s.path, 0);
  });
}

BOOST_AUTO_TEST_SUITE_END()
