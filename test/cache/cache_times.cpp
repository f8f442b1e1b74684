// For how long an entry is worth caching.
#include "client/cache_times.hpp"

#include <boost/test/unit_test.hpp>

using namespace std::chrono_literals;
using zklock::detail::cache_times;

namespace {

struct moments {
  cache_times it;
  cache_times::clock::time_point now{std::chrono::hours(1)};

  void use_every(cache_times::clock::duration time, int count) {
    for (int i = 0; i < count; ++i)
      it.used(now += time);
  }

  /// Returns for how long an entry is not cached after a conflict whose revocation took `taken`.
  cache_times::clock::duration pause_after(cache_times::clock::duration taken,
                                           bool is_reading = false) {
    it.conflict_began(now, is_reading);
    it.conflict_ended(now += taken);
    const auto begin = now;
    while (!it.may_cache(now))
      now += 1ms;
    return now - begin;
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(caching_times, moments, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(entry_is_cached_for_four_times_the_mean_time_between_uses) {
  use_every(50ms, 200);
  const auto cached = it.cached_until(1s) - now;
  BOOST_TEST((cached > 199ms && cached <= 201ms));
}

BOOST_AUTO_TEST_CASE(uses_without_the_strand_count_as_uses) {
  for (int i = 0; i < 200; ++i)
    it.used(now += 500ms, 10);
  const auto cached = it.cached_until(1s) - now;
  BOOST_TEST((cached > 199ms && cached < 202ms));
}

BOOST_AUTO_TEST_CASE(entry_is_cached_for_the_limit_at_most_and_10_ms_at_least) {
  use_every(1s, 2);
  BOOST_TEST((it.cached_until(1s) == now + 1s));
  use_every(1us, 200);
  BOOST_TEST((it.cached_until(1s) == now + 10ms));
  BOOST_TEST((it.cached_until(2ms) == now + 2ms));
}

BOOST_AUTO_TEST_CASE(entry_may_be_cached_from_the_start) {
  BOOST_TEST(it.may_cache(now));
}

BOOST_AUTO_TEST_CASE(entry_is_not_cached_during_a_conflict) {
  it.conflict_began(now, false);
  BOOST_TEST(it.is_in_conflict());
  BOOST_TEST(!it.may_cache(now + 1h));
}

BOOST_AUTO_TEST_CASE(pause_is_nine_times_as_long_as_the_revocation) {
  BOOST_TEST((pause_after(10ms) == 1s));
  now += 1h;
  BOOST_TEST((pause_after(500ms) == 4500ms));
}

BOOST_AUTO_TEST_CASE(pause_doubles_as_long_as_conflicts_follow_each_other) {
  BOOST_TEST((pause_after(1ms) == 1s));
  BOOST_TEST((pause_after(1ms) == 2s));
  BOOST_TEST((pause_after(1ms) == 4s));
  // The entry was cached for longer than the last pause.
  now += 5s;
  BOOST_TEST((pause_after(1ms) == 1s));
}

BOOST_AUTO_TEST_CASE(pause_of_readers_does_not_double) {
  for (int i = 0; i < 3; ++i)
    BOOST_TEST((pause_after(1ms, true) == 9ms));
}

BOOST_AUTO_TEST_CASE(pause_lasts_a_minute_at_most) {
  for (int i = 0; i < 10; ++i)
    pause_after(1ms);
  BOOST_TEST((pause_after(1ms) == 60s));
  BOOST_TEST((pause_after(30s) == 60s));
}

BOOST_AUTO_TEST_SUITE_END()
