// Each request that a mutex sends to the servers.
#include "support/counted_client.hpp"
#include "testing/relay_hooks.hpp"

#include <boost/test/unit_test.hpp>

#include <mutex>
#include <string_view>

using namespace zklock;
using namespace zklock::test;
using testing::direction;
using testing::operation;

BOOST_AUTO_TEST_SUITE(requests, *boost::unit_test::timeout(120))

namespace {

struct mutex_scene {
  mutex_scene() { witness.create_all("/test"); }

  background context;
  testing::raw_client witness{shared_server().direct_address()};
  counted_client one{context};
  testing::relay& door = one.door;
  const std::string path = fresh_path();
  mutex lock{one.zk, path};
};

void use(mutex& lock) {
  get(get(lock.acquire(30s, asio::use_future)).release(asio::use_future));
}

} // namespace

BOOST_AUTO_TEST_CASE(free_lock_takes_a_create_and_a_delete) {
  mutex_scene s;
  use(s.lock);
  BOOST_TEST(requests_sent(s.door) == "directory=1 create=1 list=1 remove=1");
  // From the second use on the directory is watched, so that the known entries stay known.
  use(s.lock);
  BOOST_TEST(requests_sent(s.door) == "create=1 list=1 get=1 remove=1");
  for (int i = 0; i < 5; ++i) {
    use(s.lock);
    BOOST_TEST(requests_sent(s.door) == "create=1 remove=1");
  }
  // A hold that is released in the background takes as many requests.
  for (int i = 0; i < 5; ++i) {
    { const hold held = get(s.lock.acquire(30s, asio::use_future)); }
    wait_until([&] { return entries(s.witness, s.path) == 0; });
    BOOST_TEST(requests_sent(s.door) == "create=1 remove=1");
  }
}

BOOST_AUTO_TEST_CASE(directories_above_a_lock_are_created_once) {
  mutex_scene s;
  mutex deep(s.one.zk, s.path + "/a/b/c");
  use(deep);
  const auto first = requests_sent(s.door);
  BOOST_TEST_MESSAGE(first);
  BOOST_TEST(first.ends_with("create=2 list=2 remove=1"));
  use(deep);
  BOOST_TEST(requests_sent(s.door) == "create=1 list=1 get=1 remove=1");
  use(deep);
  BOOST_TEST(requests_sent(s.door) == "create=1 remove=1");
}

BOOST_AUTO_TEST_CASE(first_use_leaves_no_watch_at_the_server) {
  mutex_scene s;
  for (const auto* below : {"", "/a/b"}) {
    const auto watches = shared_server().counter("zk_watch_count");
    mutex lock(s.one.zk, s.path + below);
    const hold held = get(lock.acquire(30s, asio::use_future));
    // The answer follows all earlier requests.
    get(lock.participants(asio::use_future));
    BOOST_TEST(shared_server().counter("zk_watch_count") == watches);
  }
}

// No request of an acquire waits for the reply to another request.
BOOST_AUTO_TEST_CASE(free_lock_takes_one_round_trip) {
  mutex_scene s;
  for (const auto* expected :
       {"directory=1 create=1 list=1", "create=1 list=1 get=1", "create=1", "create=1"}) {
    s.door.silence(direction::to_client);
    auto held = s.lock.acquire(asio::use_future);
    const auto all = std::string_view(expected);
    const auto count = static_cast<std::uint64_t>(std::count(all.begin(), all.end(), '='));
    wait_until([&] { return s.door.total_requests() == count; });
    wait_until([&] { return entries(s.witness, s.path) == 1; });
    BOOST_TEST(s.door.bytes(direction::to_client) == 0u);
    BOOST_TEST(!is_ready(held));
    s.door.heal();
    hold got = get(held);
    BOOST_TEST(requests_sent(s.door) == expected);
    get(got.release(asio::use_future));
    requests_sent(s.door);
  }
}

BOOST_AUTO_TEST_CASE(waiter_behind_its_own_process_takes_a_create_and_a_delete) {
  mutex_scene s;
  constexpr std::size_t waiters = 50;
  for (const bool first : {true, false, false}) {
    std::vector<std::future<hold>> waiting;
    for (std::size_t i = 0; i < waiters; ++i)
      waiting.push_back(s.lock.acquire(asio::use_future));
    // Before the first release: a create and a delete can share a transaction.
    wait_until([&] { return entries(s.witness, s.path) == waiters; });
    for (auto& each : waiting)
      get(get(each).release(asio::use_future));
    // If the next waiter is granted at once, its entry is checked in the transaction of the delete.
    BOOST_TEST(s.door.requests(operation::create2) == 50u);
    BOOST_TEST(s.door.requests(operation::remove) + s.door.requests(operation::multi) == 50u);
    BOOST_TEST(s.door.requests(operation::multi) != 0u);
    // A directory, a list and a watch, when the directory is new.
    BOOST_TEST(s.door.total_requests() - 100 == (first ? 3u : 0u));
    BOOST_TEST_MESSAGE(requests_sent(s.door));
  }
}

BOOST_AUTO_TEST_CASE(try_on_a_held_lock_reads_at_most_once) {
  mutex_scene s;
  const auto node = create_foreign_entry(s.witness, s.path);
  for (int i = 0; i < 3; ++i) {
    BOOST_TEST(!get(s.lock.try_acquire(asio::use_future)));
    BOOST_TEST(requests_sent(s.door) == "list=1");
  }
  // The lock is waited for by this client, then held by it: the try is answered without a request.
  auto waiting = s.lock.acquire(asio::use_future);
  wait_until([&] { return s.door.replies(operation::get_data) == 1; });
  BOOST_TEST(requests_sent(s.door) == "directory=1 create=1 list=1 get=1");
  BOOST_TEST(!get(s.lock.try_acquire(asio::use_future)));
  BOOST_TEST(requests_sent(s.door) == "");
  s.witness.remove(node);
  hold held = get(waiting);
  for (int i = 0; i < 3; ++i)
    BOOST_TEST(!get(s.lock.try_acquire(asio::use_future)));
  BOOST_TEST(requests_sent(s.door) == "");
}

BOOST_AUTO_TEST_CASE(try_on_a_free_lock_reads_first) {
  mutex_scene s;
  for (const auto* expected : {"directory=1 create=1 list=2 remove=1",
                               "create=1 list=2 get=1 remove=1", "create=1 list=1 remove=1"}) {
    get(get(s.lock.try_acquire(asio::use_future)).release(asio::use_future));
    BOOST_TEST(requests_sent(s.door) == expected);
  }
}

BOOST_AUTO_TEST_CASE(waiter_behind_another_client_takes_one_watch) {
  mutex_scene s;
  const auto node = create_foreign_entry(s.witness, s.path);
  const auto watches = shared_server().counter("zk_watch_count");
  auto waiting = s.lock.acquire(asio::use_future);
  wait_until([&] { return s.door.replies(operation::get_data) == 1; });
  BOOST_TEST(requests_sent(s.door) == "directory=1 create=1 list=1 get=1");
  BOOST_TEST(shared_server().counter("zk_watch_count") == watches + 1);
  s.witness.remove(node);
  hold held = get(waiting);
  // The event needs no further request.
  BOOST_TEST(requests_sent(s.door) == "");
  BOOST_TEST(shared_server().counter("zk_watch_count") == watches);
  get(held.release(asio::use_future));
  BOOST_TEST(requests_sent(s.door) == "remove=1");
}

BOOST_AUTO_TEST_CASE(waiter_behind_many_entries_does_not_read_them_one_by_one) {
  mutex_scene s;
  constexpr std::size_t others = 30;
  std::vector<std::string> line;
  for (std::size_t i = 0; i < others; ++i)
    line.push_back(create_foreign_entry(s.witness, s.path));
  const auto watches = shared_server().counter("zk_watch_count");
  auto waiting = s.lock.acquire(asio::use_future);
  wait_until([&] { return s.door.replies(operation::get_data) == 2; });
  BOOST_TEST(requests_sent(s.door) == "directory=1 create=1 list=1 get=2");
  BOOST_TEST(shared_server().counter("zk_watch_count") == watches + 2);
  for (const auto& each : line) {
    BOOST_TEST(!is_ready(waiting));
    s.witness.remove(each);
  }
  const hold held = get(waiting);
  // The nearest predecessors were watched; a single list tells about all further predecessors.
  BOOST_TEST(requests_sent(s.door) == "list=1");
  BOOST_TEST(shared_server().counter("zk_watch_count") == watches);
}

// The nearest predecessors, which are watched, leave first: a list after each tells which are left.
BOOST_AUTO_TEST_CASE(line_that_leaves_from_its_end_takes_one_list_for_each) {
  mutex_scene s;
  constexpr std::size_t others = 64;
  std::vector<std::string> line;
  for (std::size_t i = 0; i < others; ++i)
    line.push_back(create_foreign_entry(s.witness, s.path));
  auto waiting = s.lock.acquire(asio::use_future);
  wait_until([&] { return s.door.replies(operation::get_data) == 2; });
  requests_sent(s.door);
  for (; !line.empty(); line.pop_back())
    s.witness.remove(line.back());
  const hold held = get(waiting);
  const auto lists = s.door.requests(operation::get_children2);
  const auto watched = s.door.requests(operation::get_data);
  BOOST_TEST_MESSAGE(lists << " lists, " << watched << " watches");
  BOOST_TEST(lists <= others);
  BOOST_TEST(watched <= others);
  BOOST_TEST(s.door.total_requests() == lists + watched);
}

BOOST_AUTO_TEST_CASE(two_clients_in_turn_take_four_requests_a_turn) {
  mutex_scene s;
  counted_client two(s.context);
  mutex other(two.zk, s.path);
  constexpr std::uint64_t turns = 50;
  auto one_waits = s.lock.acquire(asio::use_future);
  wait_until([&] { return entries(s.witness, s.path) == 1; });
  auto two_waits = other.acquire(asio::use_future);
  wait_until([&] { return entries(s.witness, s.path) == 2; });
  const auto take_turn = [&](mutex& lock, std::future<hold>& waiting) {
    const hold held = get(waiting);
    waiting = lock.acquire(asio::use_future);
    wait_until([&] { return entries(s.witness, s.path) == 3; });
  };
  for (std::uint64_t i = 0; i < 2 * turns; ++i) {
    if (i == turns) {
      requests_sent(s.door);
      requests_sent(two.door);
    }
    take_turn(s.lock, one_waits);
    take_turn(other, two_waits);
  }
  // A create, a list since an entry of the second client came between, a watch, a delete.
  for (auto* door : {&s.door, &two.door}) {
    BOOST_TEST(door->total_requests() <= 4 * turns + 4);
    BOOST_TEST(door->replies(operation::notification) <= turns + 1);
    BOOST_TEST_MESSAGE(requests_sent(*door));
  }
  get(get(one_waits).release(asio::use_future));
  get(get(two_waits).release(asio::use_future));
}

BOOST_AUTO_TEST_CASE(resumed_session_takes_a_write_and_lists_its_nodes_once_it_had_entries) {
  mutex_scene s;
  s.door.cut();
  wait_until([&] { return s.door.replies(operation::multi) == 1; });
  BOOST_TEST(s.door.total_requests() == 1u);
  use(s.lock);
  s.door.reset_counts();
  s.door.cut();
  wait_until([&] { return s.door.replies(operation::get_ephemerals) == 1; });
}

BOOST_AUTO_TEST_CASE(idle_hold_takes_two_writes_an_interval) {
  testing::relay door(shared_server().direct_address());
  testing::raw_client witness(shared_server().direct_address());
  background context;
  constexpr auto interval = 100ms;
  auto options = options_for(door.address(), 3s);
  options.check_interval = interval;
  client zk(context.io, options);
  const auto path = fresh_path();
  // The checks look for all of the nodes.
  std::vector<hold> held;
  for (int i = 0; i < 100; ++i) {
    mutex lock(zk, path + '/' + std::to_string(i));
    held.push_back(get(lock.acquire(30s, asio::use_future)));
  }
  wait_until([&] { return door.requests(operation::multi) != 0; });
  door.reset_counts();
  const auto begin = std::chrono::steady_clock::now();
  wait_until([&] { return door.requests(operation::multi) >= 20; });
  const auto checks = door.requests(operation::multi);
  BOOST_TEST(door.total_requests() >= checks);
  BOOST_TEST((std::chrono::steady_clock::now() - begin > 8 * interval));
  BOOST_TEST(door.total_requests() == door.requests(operation::multi));

  // Without holds there are no checks: after a session timeout only reads come, in place of pings.
  held.clear();
  for (int i = 0; i < 100; ++i)
    wait_until([&] { return entries(witness, path + '/' + std::to_string(i)) == 0; });
  wait_until([&] { return door.requests(operation::exists) >= 2; });
  door.reset_counts();
  wait_until([&] { return door.requests(operation::exists) >= 10; });
  BOOST_TEST(door.total_requests() == door.requests(operation::exists));
  BOOST_TEST(door.requests(operation::ping) == 0u);
}

BOOST_AUTO_TEST_CASE(check_takes_one_transaction_for_each_128_entries) {
  mutex_scene s;
  testing::relay door(shared_server().direct_address());
  auto options = options_for(door.address(), 3s);
  options.check_interval = 100ms;
  client zk(s.context.io, options);
  std::vector<hold> held;
  for (int i = 0; i < 129; ++i) {
    mutex lock(zk, s.path + '/' + std::to_string(i));
    held.push_back(get(lock.acquire(30s, asio::use_future)));
  }
  std::mutex guard;
  std::vector<std::size_t> sizes;
  // From the end of a round to the end of the next.
  const auto hook = testing::relay_hooks(door).when(
      direction::to_server,
      [&](const testing::frame& each) {
        if (each.kind != operation::multi) return false;
        std::size_t paths = 0;
        for (auto at = each.bytes.find("-lock-"); at != each.bytes.npos;
             at = each.bytes.find("-lock-", at + 1))
          ++paths;
        const std::lock_guard lock(guard);
        if (!sizes.empty() || paths == 1) sizes.push_back(paths);
        return sizes.size() == 3;
      },
      testing::reaction::observe);
  hook.wait();
  const std::lock_guard lock(guard);
  BOOST_TEST(sizes == (std::vector<std::size_t>{1, 128, 1}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(thousand_waiters_of_one_process_stay_within_the_window) {
  mutex_scene s;
  auto options = options_for(shared_server().address(), 60s);
  options.max_entries_per_lock = 16;
  client zk(s.context.io, options);
  mutex lock(zk, s.path);
  auto& server = shared_server();
  const auto before = server.counter("zk_ephemerals_count");
  const auto watches = server.counter("zk_watch_count");
  std::int64_t most = 0;
  std::int64_t most_watches = 0;
  std::vector<std::future<hold>> waiting;
  for (int i = 0; i < 1000; ++i)
    waiting.push_back(lock.acquire(asio::use_future));
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    hold held = get(waiting[i]);
    if (i % 20 == 0) {
      most = std::max(most, server.counter("zk_ephemerals_count") - before);
      most_watches = std::max(most_watches, server.counter("zk_watch_count") - watches);
    }
    held = hold();
  }
  // The window, and the holder.
  BOOST_TEST(most >= 16);
  BOOST_TEST(most <= 17);
  BOOST_TEST(most_watches <= 1);
}

BOOST_AUTO_TEST_SUITE_END()
