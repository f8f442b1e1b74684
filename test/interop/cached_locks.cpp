// Clients of other libraries that want a lock that a client of ours caches.
#include "interop/meeting.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/test/unit_test.hpp>

#include <array>
#include <atomic>
#include <future>
#include <string>

using namespace zklock;
using namespace zklock::test;

namespace {

/// The libraries whose locks have a time limit of their own.
constexpr std::array libraries_with_tries{library::curator, library::kazoo};

/// A meeting at which our client caches locks that no other client wants.
struct keeping : meeting {
  keeping() : meeting(caching()) {}

  static client_options caching() {
    auto result = options("ours");
    result.lock_cache = {.idle_limit = 6s};
    return result;
  }

  static hold acquire(any_lock used) { return get(used.acquire(30s, asio::use_future)); }

  static void use(any_lock used) {
    hold held = acquire(used);
    get(held.release(asio::use_future));
  }

  /// Uses a lock until it was granted without a request: from then on the client hears of waiters.
  void keep(any_lock used) {
    const auto before = zk.stats().total.handed_over;
    while (zk.stats().total.handed_over == before)
      use(used);
    // A release completes before it is counted.
    wait_until([&] { return zk.cached() == 1; });
  }

  /// Waits for less time than the entry is cached without being wanted.
  void wait_until_revoked() {
    wait_until([&] { return zk.cached() == 0 && entries(witness, path) == 0; }, 3s);
  }

  /// Uses the lock again and again until it is told to stop.
  static asio::awaitable<void> use_repeatedly(mutex used, std::atomic<int>& granted,
                                              const std::atomic<bool>& stops) {
    while (!stops) {
      hold held = co_await used.acquire(30s);
      ++granted;
      co_await held.release();
    }
  }

  /// Checks that a peer is granted a lock that our client caches, and that our waiter waits for it.
  void check_first_wait(peer& other, const std::string& verb, any_lock used) {
    BOOST_TEST(other.ask(command(verb, "theirs")).starts_with("held"));
    BOOST_TEST(zk.cached() == 0u);
    BOOST_TEST(line().size() == 1u);
    auto next = used.acquire(asio::use_future);
    wait_for_entries(2);
    check_granted_after(other, "theirs", next);
  }

  /// Checks that a peer is granted the lock of our cached entry after our hold, before our waiter.
  void check_wait_for_hold(peer& other, const std::string& verb, any_lock used) {
    hold held = acquire(used);
    other.tell(command(verb, "theirs"));
    wait_for_entries(2);
    // The waiter gets in line as soon as the client has heard of the peer.
    auto late = used.acquire(asio::use_future);
    wait_for_entries(3);
    BOOST_TEST(!other.has_answered("theirs"));
    get(held.release(asio::use_future));
    BOOST_TEST(other.hear("theirs").starts_with("held"));
    check_granted_after(other, "theirs", late);
  }

  shared_mutex both{zk, path};
};

/// A meeting at which our client caches a mutex.
struct cached_mutex : keeping {
  cached_mutex() { keep(lock); }
};

/// A meeting at which our client caches the lock of a reader.
struct cached_reader : keeping {
  cached_reader() { keep(both.shared()); }
};

} // namespace

BOOST_AUTO_TEST_SUITE(keeping_among_others, *boost::unit_test::timeout(180))

BOOST_AUTO_TEST_CASE(peer_gets_a_cached_lock_at_its_first_wait) {
  with_each<cached_mutex>(all_libraries, [](peer& other, cached_mutex& m) {
    m.check_first_wait(other, "lock", m.lock);
  });
}

BOOST_AUTO_TEST_CASE(peer_gets_a_cached_lock_at_its_second_try) {
  with_each<cached_mutex>(libraries_with_tries, [](peer& other, cached_mutex& m) {
    // The entry of the peer may be the first already when the peer looks.
    if (other.ask(m.command("lock", "theirs", 0ms)).starts_with("held")) other.ask("unlock theirs");
    m.wait_until_revoked();
    BOOST_TEST(other.ask(m.command("lock", "theirs", 0ms)).starts_with("held"));
  });
}

BOOST_AUTO_TEST_CASE(try_of_a_peer_revokes_the_entry_of_a_held_lock) {
  with_each<cached_mutex>(libraries_with_tries, [](peer& other, cached_mutex& m) {
    hold held = m.take();
    BOOST_TEST(other.ask(m.command("lock", "theirs", 0ms)) == "timeout");
    BOOST_TEST(held.owns_lock());
    get(held.release(asio::use_future));
    m.wait_until_revoked();
    BOOST_TEST(other.ask(m.command("lock", "theirs", 0ms)).starts_with("held"));
  });
}

BOOST_AUTO_TEST_CASE(peer_gets_a_cached_lock_after_the_present_hold) {
  with_each<cached_mutex>(all_libraries, [](peer& other, cached_mutex& m) {
    m.check_wait_for_hold(other, "lock", m.lock);
  });
}

BOOST_AUTO_TEST_CASE(peer_gets_a_cached_lock_that_is_used_without_a_pause) {
  with_each<cached_mutex>(all_libraries, [](peer& other, cached_mutex& m) {
    std::atomic<int> granted{0};
    std::atomic<bool> stops{false};
    auto over =
        asio::co_spawn(m.io, keeping::use_repeatedly(m.lock, granted, stops), asio::use_future);
    wait_until([&] { return granted > 100; });
    BOOST_TEST(other.ask(m.command("lock", "theirs")).starts_with("held"));
    const int seen = granted;
    // Behind the peer.
    m.wait_for_entries(2);
    BOOST_TEST(granted == seen);
    other.ask("unlock theirs");
    wait_until([&] { return granted > seen + 10; });
    stops = true;
    get(over);
  });
}

BOOST_AUTO_TEST_CASE(writer_of_a_peer_gets_the_lock_of_a_cached_reader) {
  with_each<cached_reader>(libraries_with_readers, [](peer& other, cached_reader& m) {
    m.check_first_wait(other, "write", m.both.shared());
  });
}

BOOST_AUTO_TEST_CASE(writer_of_a_peer_waits_for_readers_that_hold_a_cached_entry) {
  with_each<cached_reader>(libraries_with_readers, [](peer& other, cached_reader& m) {
    m.check_wait_for_hold(other, "write", m.both.shared());
  });
}

BOOST_AUTO_TEST_CASE(readers_of_a_peer_hold_beside_a_cached_reader) {
  with_each<cached_reader>(libraries_with_readers, [](peer& other, cached_reader& m) {
    BOOST_TEST(other.ask(m.command("read", "reader")).starts_with("held"));
    BOOST_TEST(m.zk.cached() == 1u);
    const hold held = keeping::acquire(m.both.shared());
    BOOST_TEST(m.line().size() == 2u);
    BOOST_TEST(held.node() == m.line()[0]);
  });
}

BOOST_AUTO_TEST_CASE(readers_of_a_peer_get_the_lock_of_a_cached_writer) {
  with_each<keeping>(libraries_with_readers, [](peer& other, keeping& m) {
    m.keep(m.both);
    BOOST_TEST(other.ask(m.command("read", "reader")).starts_with("held"));
    BOOST_TEST(m.zk.cached() == 0u);
    BOOST_TEST(m.line().size() == 1u);
  });
}

BOOST_AUTO_TEST_SUITE_END()
