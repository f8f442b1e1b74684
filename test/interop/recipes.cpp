// Readers, writers and permits, shared with the recipes of other libraries.
#include "interop/meeting.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace zklock;
using namespace zklock::test;

namespace {

struct reading_room : meeting {
  hold read() { return get(lock.acquire_shared(30s, asio::use_future)); }
  hold write() { return get(lock.acquire(30s, asio::use_future)); }

  shared_mutex lock{zk, path};
};

} // namespace

BOOST_AUTO_TEST_SUITE(recipes, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(readers_of_all_libraries_share) {
  auto curator = start_peer(library::curator);
  auto kazoo = start_peer(library::kazoo);
  reading_room m;
  hold held = m.read();
  curator.take(m.command("read", "java"));
  kazoo.take(m.command("read", "python"));
  BOOST_TEST(curator.ask(m.command("write", "brief", 200ms)) == "timeout");
  BOOST_TEST(kazoo.ask(m.command("write", "brief", 200ms)) == "timeout");
  BOOST_TEST(!get(m.lock.try_acquire(asio::use_future)));
  BOOST_TEST(get(m.lock.try_acquire_shared(asio::use_future)).owns_lock());

  auto writing = m.lock.acquire(asio::use_future);
  get(held.release(asio::use_future));
  curator.ask("unlock java");
  check_granted_after(kazoo, "python", writing);
}

BOOST_AUTO_TEST_CASE(writer_of_any_library_excludes_all_others) {
  with_each<reading_room>(libraries_with_readers, [](peer& other, reading_room& m) {
    hold held = m.write();
    BOOST_TEST(other.ask(m.command("read", "brief", 200ms)) == "timeout");
    BOOST_TEST(other.ask(m.command("write", "brief", 200ms)) == "timeout");
    get(held.release(asio::use_future));

    other.take(m.command("write", "theirs"));
    BOOST_TEST(!get(m.lock.try_acquire(asio::use_future)));
    BOOST_TEST(!get(m.lock.try_acquire_shared(asio::use_future)));
    auto reading = m.lock.acquire_shared(asio::use_future);
    m.wait_for_entries(2);
    other.ask("unlock theirs");
    BOOST_TEST(get(reading).owns_lock());
  });
}

BOOST_AUTO_TEST_CASE(reader_does_not_overtake_a_writer_of_another_library) {
  with_each<reading_room>(libraries_with_readers, [](peer& other, reading_room& m) {
    hold held = m.read();
    other.tell(m.command("write", "theirs"));
    wait_for_watch(held.node());
    auto reading = m.lock.acquire_shared(asio::use_future);
    m.wait_for_entries(3);
    wait_for_watch(m.line()[1]);
    get(held.release(asio::use_future));
    BOOST_TEST(other.hear("theirs").starts_with("held"));
    check_granted_after(other, "theirs", reading);
  });
}

// The reader has a writer ahead, and a writer behind, which lists as soon as the reader waits.
BOOST_AUTO_TEST_CASE(reader_of_another_library_is_not_blocked_by_a_writer_behind_it) {
  with_each<reading_room>(libraries_with_readers, [](peer& other, reading_room& m) {
    hold held = m.write();
    other.tell(m.command("read", "theirs"));
    wait_for_watch(held.node());
    const auto reader = m.line()[1];
    client late(m.io, meeting::options("late"));
    shared_mutex behind(late, m.path);
    auto writing = behind.acquire(asio::use_future);
    wait_for_watch(reader);
    get(held.release(asio::use_future));
    BOOST_TEST(other.hear("theirs") == "held " + reader);
    check_granted_after(other, "theirs", writing);
  });
}

BOOST_AUTO_TEST_CASE(downgrade_lets_no_writer_of_another_library_in) {
  with_each<reading_room>(libraries_with_readers, [](peer& other, reading_room& m) {
    hold held = m.write();
    other.tell(m.command("write", "theirs"));
    wait_for_watch(held.node());
    get(held.downgrade(asio::use_future));
    // The writer lists again, and finds the reader.
    wait_for_watch(held.node());
    BOOST_TEST(!other.has_answered("theirs"));
    get(held.release(asio::use_future));
    BOOST_TEST(other.hear("theirs").starts_with("held"));
  });
}

BOOST_AUTO_TEST_CASE(permits_are_shared_with_curator) {
  auto curator = start_peer(library::curator);
  meeting m;
  semaphore permits(m.zk, m.path, 3);
  const auto command = [&](int count, int timeout) {
    return "semaphore theirs " + m.path + " 3 " + std::to_string(count) + ' ' +
           std::to_string(timeout);
  };
  hold two = get(permits.acquire(2, 30s, asio::use_future));
  BOOST_TEST(curator.ask(command(2, 200)) == "timeout");
  curator.take(command(1, 30'000));
  const auto answer = curator.ask("permit_nodes look " + m.path);
  BOOST_TEST(std::count(answer.begin(), answer.end(), ' ') == 3);

  BOOST_TEST(!get(permits.try_acquire(asio::use_future)));
  auto third = permits.acquire(asio::use_future);
  m.witness.sync();
  BOOST_TEST(!is_ready(third));
  curator.ask("unlock theirs");
  hold one = get(third);

  curator.tell(command(2, 30'000));
  wait_until([&] { return entries(m.witness, m.path + "/leases") == 4; });
  BOOST_TEST(!curator.has_answered("theirs"));
  get(two.release(asio::use_future));
  BOOST_TEST(curator.hear("theirs").starts_with("held"));
  BOOST_TEST(one.owns_lock());
}

BOOST_AUTO_TEST_CASE(curators_waiter_for_a_permit_is_no_holder) {
  auto curator = start_peer(library::curator);
  meeting m;
  const semaphore permits(m.zk, m.path, 3);
  curator.take("semaphore held " + m.path + " 3 3 30000");
  curator.tell("semaphore waiting " + m.path + " 3 1 60000");
  const auto made = [&] { return entries(m.witness, m.path + "/leases") == 4; };
  wait_until(made);
  const auto look = [&] { return get(permits.participants(asio::use_future)); };
  const auto all = look();
  BOOST_TEST_REQUIRE(all.size() == 4u);
  BOOST_TEST(std::count_if(all.begin(), all.end(), [](const auto& p) { return p.is_holder; }) == 3);
  BOOST_TEST(all[3].node.starts_with(m.path + "/locks/"));
  BOOST_TEST(get(permits.count_waiting(asio::use_future)) == 1u);

  // The waiter is queued again, and creates another permit.
  BOOST_TEST(get(permits.break_lock(all[3], asio::use_future)) == 1u);
  wait_until([&] {
    const auto now = look();
    return made() && now.size() == 4 && now[3].node != all[3].node;
  });
  BOOST_TEST(!curator.has_answered("waiting"));

  BOOST_TEST(get(permits.break_lock(asio::use_future)) == 3u);
  BOOST_TEST(curator.hear("waiting").starts_with("held"));
  BOOST_TEST(entries(m.witness, m.path + "/leases") == 1u);
}

BOOST_AUTO_TEST_CASE(limit_is_kept_where_curator_keeps_it) {
  auto curator = start_peer(library::curator);
  meeting m;
  const auto limit = m.path + "-limit";
  curator.ask("set_count " + limit + " 1");
  semaphore permits(m.zk, m.path, limit_node{limit});
  const auto command = "semaphore_shared theirs " + m.path + ' ' + limit + " 1 30000";
  hold first = get(permits.acquire(30s, asio::use_future));
  auto second = permits.acquire(asio::use_future);
  curator.tell(command);
  wait_until([&] { return entries(m.witness, m.path + "/locks") == 2; });
  BOOST_TEST(!is_ready(second));
  BOOST_TEST(curator.ask("set_count " + limit + " 2") == "set");
  hold held = get(second);
  curator.ask("set_count " + limit + " 3");
  BOOST_TEST(curator.hear("theirs").starts_with("held"));
  BOOST_TEST(first.owns_lock());
}

BOOST_AUTO_TEST_SUITE_END()
