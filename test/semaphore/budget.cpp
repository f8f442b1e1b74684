// How many permits an acquire can have within the budget, and how other locks get room.
#include <zklock/testing/relay.hpp>

#include "support/pending.hpp"
#include "support/world.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

using namespace zklock;
using namespace zklock::test;

namespace {

struct budget_scene {
  asio::io_context io{1};
  testing::raw_client witness{shared_server().direct_address()};
  testing::relay door{shared_server().direct_address()};
  std::vector<std::string> lines{};
  client_options options = options_for(door.address(), 10s);
  const std::string path = fresh_path();

  budget_scene() {
    options.log = [this](log_level level, std::string_view line) {
      if (level == log_level::error) lines.emplace_back(line);
    };
  }

  bool was_logged(const std::string& part) const {
    return std::any_of(lines.begin(), lines.end(),
                       [&](const auto& line) { return line.find(part) != line.npos; });
  }

  /// Both acquire and try_acquire fail with this code, and nothing is written.
  asio::awaitable<void> expect(errc why, any_lock many) {
    const auto [waited, none] = co_await many.acquire(as_result);
    BOOST_TEST((waited == why));
    const auto [tried, nothing] = co_await many.try_acquire(as_result);
    BOOST_TEST((tried == why));
    BOOST_TEST(!witness.exists(path).has_value());
  }

  std::string make_limit(std::uint32_t limit) {
    std::string four;
    for (int shift = 24; shift >= 0; shift -= 8)
      four += static_cast<char>(limit >> shift & 0xff);
    auto node = fresh_path("limit");
    witness.create_all(node);
    witness.set(node, four);
    return node;
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(semaphore_budgets, budget_scene, *boost::unit_test::timeout(180))

BOOST_AUTO_TEST_CASE(permits_beyond_the_budget_are_refused_at_once) {
  options.max_path_bytes = 4096;
  client zk(io, options);
  run(io, [&]() -> asio::awaitable<void> {
    const auto each = path.size() + 66;
    // Named objects: gcc 12 destroys temporaries of an expression that has a co_await in it twice.
    const any_lock many = semaphore(zk, path, 100).permits(60);
    co_await expect(errc::budget_exhausted, many);
    BOOST_TEST(was_logged("60 permits take " + std::to_string(60 * each) +
                          " bytes of node paths, max_path_bytes is 4096"));
    const any_lock told = semaphore(zk, path, limit_node{make_limit(100)}).permits(60);
    co_await expect(errc::budget_exhausted, told);
    mutex other(zk, fresh_path());
    const hold held = co_await other.acquire(10s, asio::use_awaitable);
    BOOST_TEST(held.owns_lock());
  });
}

// Otherwise the first lock would be held for ever, while the second lock is waited for.
BOOST_AUTO_TEST_CASE(locks_that_never_fit_together_are_refused_at_once) {
  options.max_path_bytes = 4096;
  client zk(io, options);
  run(io, [&]() -> asio::awaitable<void> {
    const semaphore desks(zk, path, 100);
    const auto each = path.size() + 66;
    const auto most = static_cast<std::int64_t>(options.max_path_bytes / each);
    multi_lock lock(desks.permits(most), mutex(zk, fresh_path()));
    const auto [error, held] = co_await lock.acquire(asio::as_tuple(asio::use_awaitable));
    BOOST_TEST((error == errc::budget_exhausted));
    BOOST_TEST((held.state() == hold_state::empty));
    BOOST_TEST(was_logged("the locks of a multi_lock take "));
    multi_lock fitting(desks.permits(most / 2), mutex(zk, fresh_path()));
    const multi_hold both = co_await fitting.acquire(10s, asio::use_awaitable);
    BOOST_TEST(both.owns_lock());
  });
}

BOOST_AUTO_TEST_CASE(acquire_that_waits_for_the_budget_is_not_overtaken) {
  options.max_path_bytes = 4096;
  client zk(io, options);
  run(io, [&]() -> asio::awaitable<void> {
    std::vector<hold> held;
    for (int i = 0; i < 10; ++i) {
      mutex some(zk, fresh_path());
      held.push_back(co_await some.acquire(10s, asio::use_awaitable));
    }
    semaphore lock(zk, path, 100);
    pending<hold> many;
    lock.permits(static_cast<std::int64_t>(4096 / (path.size() + 66))).acquire(60s, many.token());
    mutex other(zk, fresh_path());
    const auto [tried, nothing] = co_await other.try_acquire(as_result);
    BOOST_TEST((tried == errc::budget_exhausted));
    const auto [late, none] = co_await other.acquire(200ms, as_result);
    BOOST_TEST((late == errc::timed_out));
    pending<hold> small;
    other.acquire(60s, small.token());
    BOOST_TEST(!many.done());
    held.clear();
    BOOST_TEST(!(co_await many.wait(60s)));
    BOOST_TEST(many.result().owns_lock());
    BOOST_TEST(!small.done());
    many.result() = {};
    BOOST_TEST(!(co_await small.wait(60s)));
    BOOST_TEST(small.result().owns_lock());
  });
}

BOOST_AUTO_TEST_CASE(acquires_that_need_the_whole_budget_take_turns) {
  options.max_path_bytes = 4096;
  client zk(io, options);
  run(io, [&]() -> asio::awaitable<void> {
    const auto most = static_cast<std::int64_t>(4096 / (path.size() + 1 + 66));
    semaphore one(zk, path + "1", 100), other(zk, path + "2", 100);
    pending<hold> first, second;
    one.permits(most).acquire(60s, first.token());
    other.permits(most).acquire(60s, second.token());
    const auto any = [&] { return first.done() || second.done(); };
    co_await eventually(any);
    pending<hold>& earlier = first.done() ? first : second;
    pending<hold>& later = first.done() ? second : first;
    BOOST_TEST(earlier.result().owns_lock());
    BOOST_TEST(!later.done());
    co_await earlier.result().release(asio::use_awaitable);
    co_await later.wait(60s);
    BOOST_TEST(later.result().owns_lock());
  });
}

// Otherwise it would be the first in line, and wait for room that its client's waiter of another
// lock keeps, while the holder of that lock waits behind it.
BOOST_AUTO_TEST_CASE(acquire_without_room_for_all_its_permits_keeps_no_client_waiting) {
  // Three nodes fit.
  options.max_path_bytes = 4096;
  client narrow(io, options);
  client other(io, options_for(door.address(), 10s));
  const std::string tail = "/" + std::string(1000, 'p');
  run(io, [&]() -> asio::awaitable<void> {
    mutex held_a(other, path + "-a" + tail), held_b(other, path + "-b" + tail);
    hold a = co_await held_a.acquire(10s, asio::use_awaitable);
    hold b = co_await held_b.acquire(10s, asio::use_awaitable);
    mutex waits_for_a(narrow, path + "-a" + tail), waits_for_b(narrow, path + "-b" + tail);
    pending<hold> first, second, permits;
    waits_for_a.acquire(60s, first.token());
    waits_for_b.acquire(60s, second.token());
    co_await wait_for_entries(witness, path + "-a" + tail, 2);
    co_await wait_for_entries(witness, path + "-b" + tail, 2);
    const std::string desks = path + "-c" + tail;
    semaphore(narrow, desks, 2).permits(2).acquire(60s, permits.token());
    co_await asio::post(io, asio::use_awaitable);
    semaphore same(other, desks, 2);
    hold c = co_await same.acquire(20s, asio::use_awaitable);
    BOOST_TEST(c.owns_lock());
    BOOST_TEST(!permits.done());
    co_await a.release(asio::use_awaitable);
    co_await b.release(asio::use_awaitable);
    co_await c.release(asio::use_awaitable);
    co_await first.wait();
    co_await second.wait();
    first.result() = {};
    co_await permits.wait();
    BOOST_TEST(permits.result().owns_lock());
  });
}

// Otherwise each caller would hold a part, and wait for the room of its counterpart.
BOOST_AUTO_TEST_CASE(callers_of_several_locks_do_not_wait_for_each_others_room) {
  // Two nodes fit.
  options.max_path_bytes = 4096;
  client zk(io, options);
  const std::string tail = "/" + std::string(1850, 'p');
  const auto name = [&](char each) { return path + '-' + each + tail; };
  int done = 0;
  run(io, [&]() -> asio::awaitable<void> {
    const auto take_both = [&](char one, char two) -> asio::awaitable<void> {
      multi_lock both(mutex(zk, name(one)), mutex(zk, name(two)));
      for (int i = 0; i < 5; ++i) {
        multi_hold held = co_await both.acquire(20s, asio::use_awaitable);
        BOOST_TEST(held.owns_lock());
        co_await held.release(asio::use_awaitable);
      }
      ++done;
    };
    asio::co_spawn(io, take_both('a', 'b'), asio::detached);
    asio::co_spawn(io, take_both('c', 'd'), asio::detached);
    const auto all = [&] { return done == 2; };
    co_await eventually(all, 60s);
    // A multi_lock that gives up keeps no room from other locks.
    multi_lock keeps(mutex(zk, name('a')), mutex(zk, name('b')));
    multi_hold held = co_await keeps.acquire(20s, asio::use_awaitable);
    multi_lock waits(mutex(zk, name('c')), mutex(zk, name('d')));
    const auto [tried, nothing] = co_await waits.acquire(0s, as_result);
    BOOST_TEST((tried == errc::budget_exhausted));
    const auto [late, none] = co_await waits.acquire(200ms, as_result);
    BOOST_TEST((late == errc::timed_out));
    asio::cancellation_signal cancel;
    pending<multi_hold> cancelled;
    waits.acquire(60s, asio::bind_cancellation_slot(cancel.slot(), cancelled.token()));
    co_await asio::post(io, asio::use_awaitable);
    cancel.emit(asio::cancellation_type::terminal);
    BOOST_TEST((co_await cancelled.wait() == asio::error::operation_aborted));
    co_await held.release(asio::use_awaitable);
    held = co_await waits.acquire(20s, asio::use_awaitable);
    BOOST_TEST(held.owns_lock());
    pending<multi_hold> closed;
    keeps.acquire(60s, closed.token());
    co_await asio::post(io, asio::use_awaitable);
    co_await zk.close(asio::use_awaitable);
    BOOST_TEST((co_await closed.wait() == errc::closed));
    BOOST_TEST(lines.empty());
  });
}

BOOST_AUTO_TEST_CASE(identity_is_written_once_for_all_permits) {
  options.identity = std::string(4096, 'x');
  client zk(io, options);
  run(io, [&]() -> asio::awaitable<void> {
    semaphore lock(zk, path, 1000);
    mutex bystander(zk, fresh_path());
    const hold kept = co_await bystander.acquire(10s, asio::use_awaitable);
    const auto connections = door.accepted();
    const hold held = co_await lock.acquire(300, 20s, asio::use_awaitable);
    BOOST_TEST(held.owns_lock());
    BOOST_TEST(kept.owns_lock());
    BOOST_TEST(door.accepted() == connections);
    const auto all = co_await lock.participants(asio::use_awaitable);
    BOOST_REQUIRE(all.size() == 300u);
    std::size_t with_data = 0;
    for (const auto& each : all) {
      BOOST_TEST(each.identity == options.identity);
      with_data += !witness.get(each.node).data.empty();
    }
    BOOST_TEST(with_data == 1u);
    BOOST_TEST(witness.get(held.node()).data == options.identity);
  });
}

BOOST_AUTO_TEST_CASE(permits_of_one_acquire_are_bounded_under_any_limit) {
  options.max_path_bytes = 900 * 1024;
  client zk(io, options);
  run(io, [&]() -> asio::awaitable<void> {
    semaphore lock(zk, path, limit_node{make_limit(10'000)});
    for (const std::int64_t count : {semaphore::most_permits + 1, std::int64_t{6'900}}) {
      const any_lock many = lock.permits(count);
      co_await expect(errc::bad_permits, many);
    }
    const auto connections = door.accepted();
    const hold held = co_await lock.acquire(semaphore::most_permits, 60s, asio::use_awaitable);
    BOOST_TEST(held.owns_lock());
    BOOST_TEST(door.accepted() == connections);
  });
}

// Everything that counts has its greatest length: the path, the identity, and the owned bytes.
BOOST_AUTO_TEST_CASE(longest_path_and_identity_fit) {
  options.identity = std::string(4096, 'x');
  options.max_path_bytes = 900 * 1024;
  client zk(io, options);
  const std::string longest = path + "/" + std::string(2000 - path.size() - 1, 'p');
  run(io, [&]() -> asio::awaitable<void> {
    semaphore lock(zk, longest, 1000);
    const auto most = static_cast<std::int64_t>(options.max_path_bytes / (longest.size() + 66));
    const any_lock many = lock.permits(most + 1);
    co_await expect(errc::budget_exhausted, many);
    mutex bystander(zk, fresh_path());
    {
      const hold kept = co_await bystander.acquire(10s, asio::use_awaitable);
      const auto connections = door.accepted();
      hold held = co_await lock.acquire(most - 1, 60s, asio::use_awaitable);
      BOOST_TEST(held.owns_lock());
      BOOST_TEST(kept.owns_lock());
      BOOST_TEST(door.accepted() == connections);
      co_await held.release(asio::use_awaitable);
    }
    BOOST_TEST(entries(witness, longest + "/leases") == 0u);
  });
}

BOOST_AUTO_TEST_CASE(long_access_list_lowers_the_permits_of_one_transaction) {
  options.max_path_bytes = 900 * 1024;
  options.access = {{}};
  options.access.push_back({permission::read, "digest", std::string(2000, 'u') + ":x"});
  client zk(io, options);
  run(io, [&]() -> asio::awaitable<void> {
    semaphore lock(zk, path, 1000);
    const any_lock all = lock.permits(1000);
    co_await expect(errc::bad_permits, all);
    BOOST_REQUIRE(!lines.empty());
    // The figure follows "list".
    const auto& told = lines.front();
    BOOST_TEST(told.find("1000 permits do not fit into one transaction") != told.npos);
    const auto list = told.rfind("list ");
    const auto most = std::stol(told.substr(list + 5));
    BOOST_TEST(most > 400);
    BOOST_TEST(most < 1000);
    const any_lock many = lock.permits(most + 1);
    co_await expect(errc::bad_permits, many);
    const auto connections = door.accepted();
    const hold held = co_await lock.acquire(most, 60s, asio::use_awaitable);
    BOOST_TEST(held.owns_lock());
    BOOST_TEST(door.accepted() == connections);
  });
}

BOOST_AUTO_TEST_CASE(release_request_does_not_outgrow_a_packet) {
  client zk(io, options);
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, path);
    const hold held = co_await lock.acquire(10s, asio::use_awaitable);
    const auto all = co_await lock.participants(asio::use_awaitable);
    BOOST_REQUIRE(all.size() == 1u);
    witness.set(held.node(), std::string(1'000'000, 'x'));
    const auto connections = door.accepted();
    co_await lock.request_release(all.front(), asio::use_awaitable);
    BOOST_TEST(door.accepted() == connections);
    BOOST_TEST(witness.get(held.node()).data.size() < 10'000u);
  });
}

// The waiter may wait for a client that waits for a lock of the caller.
BOOST_AUTO_TEST_CASE(caller_of_several_locks_holds_none_while_it_waits_for_room) {
  options.max_path_bytes = 4 * 1024;
  client zk(io, options);
  client other(io, options_for(shared_server().address(), 10s));
  std::vector<int> granted;
  // Two entries fit.
  const std::string parent = path + '/' + std::string(1300, 'x');
  run(io, [&]() -> asio::awaitable<void> {
    mutex a(other, parent + 'a'), b(other, parent + 'b');
    hold theirs = co_await a.acquire(10s);
    asio::co_spawn(io, join_line(mutex(zk, parent + 'a'), granted, 1), asio::detached);
    co_await wait_for_entries(witness, parent + 'a', 2);
    multi_lock both(mutex(zk, parent + 'b'), mutex(zk, parent + 'c'));
    pending<multi_hold> held;
    both.acquire(30s, held.token());
    hold also = co_await b.acquire(10s);
    BOOST_TEST(also.owns_lock());
    co_await theirs.release();
    const auto has_held = [&] { return !granted.empty(); };
    co_await eventually(has_held);
    co_await wait_for_entries(witness, parent + 'b', 2);
    BOOST_TEST(!held.done());
    co_await also.release();
    co_await held.wait();
    BOOST_TEST(held.result().owns_lock());
  });
}

BOOST_AUTO_TEST_SUITE_END()
