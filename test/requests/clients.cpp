// The requests of locks that several clients use.
#include "support/counted_client.hpp"

#include <boost/test/unit_test.hpp>

#include <deque>
#include <sstream>
#include <string>

using namespace zklock;
using namespace zklock::test;
using testing::operation;

namespace {

struct counted_scene {
  counted_scene() { witness.create_all("/test"); }

  background context;
  testing::raw_client witness{shared_server().direct_address()};
  const std::string path = fresh_path();
};

/// A client's entry in line.
struct waiter {
  /// The client has seen the entry before its own entry: its first list has been answered, and no
  /// later release changes the requests that it takes.
  void join_line(testing::raw_client& witness, std::size_t all) {
    const std::string place(lock.path());
    waiting = lock.acquire(asio::use_future);
    wait_until([&] { return entries(witness, place) == all; });
    if (all > 1) wait_for_watch(entries_in_line(witness, place)[all - 2]);
  }

  testing::relay& door;
  mutex lock;
  std::future<hold> waiting{};
};

/// The number of watches on a lock's entries.
std::size_t watches_below(const std::string& path) {
  std::istringstream in(shared_server().four_letter_word("wchp"));
  std::size_t count = 0;
  bool below = false;
  // A path, and a line with a tab for each session that watches it.
  for (std::string line; std::getline(in, line);)
    if (!line.starts_with('\t'))
      below = line.starts_with(path + '/');
    else if (below)
      ++count;
  return count;
}

template <class Lock>
void use(Lock lock) {
  get(get(lock.acquire(30s, asio::use_future)).release(asio::use_future));
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(requests_among_clients, counted_scene, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(two_clients_in_turn_on_a_free_lock_take_three_requests_each) {
  counted_client one(context), two(context);
  mutex ours(one.zk, path), theirs(two.zk, path);
  const auto use_both = [&] {
    use(ours);
    use(theirs);
  };
  use_both();
  requests_sent(one.door);
  requests_sent(two.door);
  // The second use watches the directory.
  use_both();
  for (auto* const door : {&one.door, &two.door})
    BOOST_TEST(requests_sent(*door) == "create=1 list=1 get=1 remove=1");
  for (int i = 0; i < 5; ++i) {
    use_both();
    for (auto* const door : {&one.door, &two.door})
      BOOST_TEST(requests_sent(*door) == "create=1 list=1 remove=1");
  }
}

// A downgrade takes a number, as an entry of another client does.
BOOST_AUTO_TEST_CASE(downgrade_makes_the_next_two_acquires_list) {
  counted_client one(context);
  shared_mutex lock(one.zk, path);
  for (int i = 0; i < 3; ++i)
    use(lock);
  hold held = get(lock.acquire(30s, asio::use_future));
  requests_sent(one.door);
  get(held.downgrade(asio::use_future));
  BOOST_TEST(requests_sent(one.door) == "multi=1");
  for (int i = 0; i < 2; ++i) {
    use(lock.shared());
    BOOST_TEST(requests_sent(one.door) == "create=1 list=1 remove=1");
  }
  use(lock.shared());
  BOOST_TEST(requests_sent(one.door) == "create=1 remove=1");
}

// As in most deployments: many processes, each with a single waiter. A client that has held is the
// last in line again.
BOOST_AUTO_TEST_CASE(many_clients_in_turn_take_six_requests_each) {
  struct expectation {
    std::size_t clients;
    std::uint64_t rounds;
    /// Until its turn has come, and all of them.
    std::uint64_t before;
    const char* all;
  };
  // Once the directory is watched: from the third turn of a client on.
  constexpr std::size_t first_round = 3;
  for (const auto& [count, rounds, before, all] : {
           expectation{2, 5, 3, "create=1 list=1 get=1 remove=1"},
           expectation{3, 5, 4, "create=1 list=1 get=2 remove=1"},
           expectation{4, 5, 5, "create=1 list=2 get=2 remove=1"},
           expectation{12, 5, 5, "create=1 list=2 get=2 remove=1"},
           expectation{32, 5, 5, "create=1 list=2 get=2 remove=1"},
           expectation{100, 4, 5, "create=1 list=2 get=2 remove=1"},
       }) {
    BOOST_TEST_CONTEXT(count << " clients") {
      const auto place = path + '-' + std::to_string(count);
      std::deque<counted_client> clients;
      std::deque<waiter> line;
      for (std::size_t i = 0; i < count; ++i) {
        auto& added = clients.emplace_back(context);
        line.push_back({added.door, mutex(added.zk, place)});
        line.back().join_line(witness, i + 1);
      }
      for (std::size_t turn = 0; turn < rounds * count; ++turn) {
        const bool is_counted = turn >= first_round * count;
        auto first = std::move(line.front());
        line.pop_front();
        hold held = get(first.waiting);
        const waiter& next = line.front();
        // `next` has listed the entries that are left. From now on it waits for its watch only.
        if (is_counted) wait_until([&] { return next.door.total_requests() == before; });
        get(held.release(asio::use_future));
        const auto requests = requests_sent(first.door);
        if (is_counted) {
          BOOST_TEST(requests == all);
          wait_until([&] { return is_ready(next.waiting); });
          BOOST_TEST(next.door.total_requests() == before);
        }
        first.join_line(witness, count);
        line.push_back(std::move(first));
      }
      // A watch for the second in line, two watches for each waiter behind it.
      wait_until([&] { return watches_below(place) == 2 * count - 3; });
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
