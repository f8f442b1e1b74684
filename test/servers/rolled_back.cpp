// Servers that come back with older data: from a backup, or with nothing.
#include "support/background.hpp"
#include "support/kept_log.hpp"
#include "testing/temporary_directory.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <filesystem>

using namespace zklock;
using namespace zklock::test;
namespace fs = std::filesystem;

namespace {

/// Clients with sessions that outlive the restarts, and a server of their own.
struct restored_scene {
  testing::temporary_directory home;
  const fs::path backup = fs::path(home.path()) / "backup";
  testing::server server{{.data_directory = fs::path(home.path()) / "data"}};
  kept_log log;
  std::atomic<int> terms = 0;
  asio::cancellation_signal resign;
  background context;
  client zk{context.io, options()};
  client other{context.io, options_for(server.address(), 20s)};

  client_options options() {
    auto some = options_for(server.address(), 20s);
    some.check_interval = 200ms;
    some.lock_cache.emplace();
    some.log = log.writer();
    return some;
  }

  static void copy(const fs::path& from, const fs::path& to) {
    fs::remove_all(to);
    fs::copy(from, to, fs::copy_options::recursive);
  }

  /// Keeps the present data. The client goes on with its session.
  void make_backup() {
    server.stop();
    copy(server.data_directory(), backup);
    server.start();
    wait_connected();
  }

  void restore_backup() {
    server.stop();
    copy(backup, server.data_directory());
    server.start();
  }

  void wait_connected() {
    wait_until([&] { return zk.connected(); });
  }

  hold take(mutex& lock) { return get(lock.acquire(30s, asio::use_future)); }

  void use(mutex& lock) { get(take(lock).release(asio::use_future)); }

  void start_leading() {
    const election candidate(zk, "/locks/led");
    const auto lead = [this]() -> asio::awaitable<void> {
      ++terms;
      co_await wait_forever();
    };
    asio::co_spawn(context.io, candidate.run(lead),
                   asio::bind_cancellation_slot(resign.slot(), asio::detached));
    wait_until([&] { return terms == 1; });
  }

  void stop_leading() {
    asio::post(context.io, [this] { resign.emit(asio::cancellation_type::terminal); });
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(rolled_back, restored_scene, *boost::unit_test::timeout(180))

BOOST_AUTO_TEST_CASE(client_ends_its_session_and_begins_anew_when_a_backup_was_restored) {
  mutex released(zk, "/locks/released"), held(zk, "/locks/held"), cached(zk, "/locks/cached");
  mutex waited(zk, "/locks/waited"), taken(other, "/locks/waited");
  hold over = take(released);
  hold theirs = take(taken);
  hold mine = take(held);
  auto waiting = waited.acquire(120s, asio::use_future);
  start_leading();
  const auto session = zk.session_id();
  const auto entry = over.node();
  make_backup();
  BOOST_TEST(zk.session_id() == session);
  // If the entry is cached, another client revokes it.
  get(over.release(asio::use_future));
  mutex again(other, "/locks/released");
  use(again);
  while (zk.cached() == 0)
    use(cached);
  const auto newest = take(again).token();
  auto lost = mine.wait_lost(asio::use_future);

  restore_backup();
  const auto restored = std::chrono::steady_clock::now();
  BOOST_TEST((get(lost) == errc::data_rolled_back));
  BOOST_TEST(!mine.owns_lock());
  // The released entry is there again until the client has ended its session.
  client fresh(context.io, options_for(server.address()));
  mutex free(fresh, "/locks/released");
  const hold next = take(free);
  BOOST_TEST((std::chrono::steady_clock::now() - restored < 10s));
  BOOST_TEST((next.token() < newest));
  BOOST_TEST(!testing::raw_client(server.direct_address()).exists(entry).has_value());
  wait_connected();
  BOOST_TEST(zk.session_id() != session);
  wait_until([&] { return terms == 2; });
  use(held);
  use(cached);
  wait_until([&] { return other.connected(); });
  get(other.close(asio::use_future));
  BOOST_TEST(get(waiting).owns_lock());
  stop_leading();

  const auto figures = zk.stats();
  BOOST_TEST(figures.data_rollbacks == 1u);
  BOOST_TEST(figures.session_expiries == 1u);
  BOOST_TEST(figures.total.lost.data_rolled_back >= 2u);
  BOOST_TEST(figures.total.lost.session_expired == 0u);
  BOOST_TEST(log.count("the servers came back with older data") == 1u);
  BOOST_TEST(log.count("lost a lock path=/locks/held reason=data_rolled_back") == 1u);
}

BOOST_AUTO_TEST_CASE(client_begins_anew_when_the_servers_have_lost_everything) {
  mutex held(zk, "/locks/held"), waited(zk, "/locks/waited"), taken(other, "/locks/waited");
  // More than the clients write before both are connected again.
  for (int i = 0; i < 50; ++i)
    use(taken);
  hold theirs = take(taken);
  hold mine = take(held);
  auto waiting = waited.acquire(120s, asio::use_future);
  start_leading();
  auto lost = mine.wait_lost(asio::use_future);
  auto lost_too = theirs.wait_lost(asio::use_future);

  server.stop();
  fs::remove_all(server.data_directory());
  fs::create_directories(server.data_directory());
  server.start();
  BOOST_TEST((get(lost) == errc::data_rolled_back));
  BOOST_TEST((get(lost_too) == errc::data_rolled_back));
  BOOST_TEST(get(waiting).owns_lock());
  wait_until([&] { return terms == 2; });
  BOOST_TEST((take(held).token() < mine.token()));
  stop_leading();
  BOOST_TEST(zk.stats().data_rollbacks == 1u);
  BOOST_TEST(log.count("the servers came back with older data") == 1u);
}

// No zxid tells, as other clients have written more than was lost. The nodes that the client
// deleted last are not back: they were made after the backup.
BOOST_AUTO_TEST_CASE(released_entry_that_is_back_ends_the_session_behind_later_writes_of_others) {
  mutex released(zk, "/locks/released"), again(other, "/locks/released"), held(zk, "/locks/held");
  mutex later(zk, "/locks/later"), later_too(other, "/locks/later");
  hold over = take(released);
  const hold mine = take(held);
  const auto session = zk.session_id();
  const auto entry = over.node();
  make_backup();
  // If the client caches its entry, the acquire of `again` revokes the entry.
  get(over.release(asio::use_future));
  use(again);
  for (int i = 0; i < 3; ++i) {
    use(later);
    use(later_too);
  }
  auto lost = mine.wait_lost(asio::use_future);

  server.cut_from_clients();
  restore_backup();
  {
    testing::raw_client writer(server.direct_address());
    for (int i = 0; i < 1000; ++i)
      writer.create("/later-" + std::to_string(i));
    BOOST_TEST(writer.exists(entry).has_value());
  }
  server.heal();
  BOOST_TEST((get(lost) == errc::data_rolled_back));
  client fresh(context.io, options_for(server.address()));
  mutex free(fresh, "/locks/released");
  BOOST_TEST(take(free).owns_lock());
  wait_connected();
  BOOST_TEST(zk.session_id() != session);
  use(held);
  BOOST_TEST(zk.stats().data_rollbacks == 1u);
  BOOST_TEST(log.count("the servers came back with older data") == 1u);
  BOOST_TEST(log.count("resurrected=" + entry) == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
