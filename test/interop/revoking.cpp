// Release requests across languages.
#include "interop/meeting.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace zklock;
using namespace zklock::test;

BOOST_AUTO_TEST_SUITE(revoking_across_languages, *boost::unit_test::timeout(180))

BOOST_AUTO_TEST_CASE(curators_holder_receives_our_release_request) {
  auto other = start_peer(library::curator);
  meeting m;
  BOOST_TEST(other.ask("revocable theirs " + m.path).starts_with("held"));
  auto next = m.wait();
  m.wait_for_entries(2);
  const auto line = get(m.lock.participants(asio::use_future));
  BOOST_TEST(line.at(0).is_holder);
  BOOST_TEST(!is_ready(next));
  get(m.lock.request_release(line.at(0), asio::use_future));
  BOOST_TEST(other.hear("theirs") == "revoke_requested");
  BOOST_TEST(other.ask("unlock theirs") == "released");
  hold held = get(next);
  BOOST_TEST(held.owns_lock());
}

BOOST_AUTO_TEST_CASE(our_holder_receives_the_request_of_curators_revoker) {
  auto other = start_peer(library::curator);
  meeting m;
  hold held = m.take();
  auto requested = held.wait_release_requested(asio::use_future);
  wait_for_watch(held.node());
  BOOST_TEST(!is_ready(requested));
  BOOST_TEST(other.ask("revoke asker " + held.node()) == "asked");
  // Curator's request has no identity.
  BOOST_TEST(get(requested) == "");
  BOOST_TEST(held.owns_lock());
  other.tell(m.command("lock", "theirs"));
  m.wait_for_entries(2);
  get(held.release(asio::use_future));
  BOOST_TEST(other.hear("theirs").starts_with("held"));
}

BOOST_AUTO_TEST_CASE(request_of_curators_revoker_ends_a_cached_entry) {
  auto other = start_peer(library::curator);
  auto ours = meeting::options("ours");
  ours.lock_cache = {.idle_limit = 6s};
  meeting m(ours);
  while (m.zk.stats().total.handed_over == 0) {
    hold held = m.take();
    get(held.release(asio::use_future));
  }
  const auto cached = m.line();
  BOOST_TEST_REQUIRE(cached.size() == 1u);
  BOOST_TEST(other.ask("revoke asker " + cached[0]) == "asked");
  // For less time than the entry is cached without being used.
  wait_until([&] { return m.line().empty(); }, 3s);
  hold held = m.take();
  BOOST_TEST(other.ask("revoke asker " + held.node()) == "asked");
  get(m.lock.count_waiting(asio::use_future));
  get(held.release(asio::use_future));
  BOOST_TEST(m.line().empty());
  BOOST_TEST(m.zk.cached() == 0u);
  hold next = m.take();
  const auto line = get(m.lock.participants(asio::use_future));
  BOOST_TEST(line.at(0).identity == "ours");
  BOOST_TEST(!line.at(0).release_requested);
}

BOOST_AUTO_TEST_CASE(participants_of_all_languages_are_listed_and_broken) {
  auto curator = start_peer(library::curator);
  auto kazoo = start_peer(library::kazoo);
  meeting m;
  curator.take(m.command("lock", "first"));
  kazoo.tell(m.command("lock", "second"));
  m.wait_for_entries(2);
  auto third = m.wait();
  m.wait_for_entries(3);
  const auto line = get(m.lock.participants(asio::use_future));
  BOOST_TEST_REQUIRE(line.size() == 3u);
  BOOST_TEST(line[0].is_holder);
  BOOST_TEST(std::is_sorted(line.begin(), line.end(),
                            [](const auto& a, const auto& b) { return a.number < b.number; }));
  BOOST_TEST(line[2].identity == "ours");
  BOOST_TEST(get(m.lock.break_lock(asio::use_future)) == 1u);
  BOOST_TEST(kazoo.hear("second").starts_with("held"));
  BOOST_TEST(get(m.lock.break_lock(asio::use_future)) == 1u);
  hold held = get(third);
  BOOST_TEST(held.owns_lock());
}

BOOST_AUTO_TEST_SUITE_END()
