// The time until which a session is proven.
#include "zookeeper/session_validity.hpp"

#include "client/check_timing.hpp"

#include <boost/test/unit_test.hpp>

using namespace std::chrono_literals;
using zklock::boot_clock;
using zklock::detail::check_timing;
using zklock::zookeeper::session_validity;

BOOST_AUTO_TEST_SUITE(session_validity_, *boost::unit_test::timeout(30))

namespace {

constexpr auto tick = 2s;
constexpr auto timeout = 15s;

/// Requests take 10 ms.
struct fixture {
  session_validity validity{tick};
  boot_clock::time_point start{1h};

  boot_clock::time_point at(std::chrono::milliseconds since_start) const {
    return start + since_start;
  }
  void connect(std::chrono::milliseconds when, bool is_new) {
    validity.connected(at(when), at(when + 10ms), timeout, is_new);
  }
  void write(std::chrono::milliseconds when) { validity.answered(at(when), at(when + 10ms), true); }
  void read(std::chrono::milliseconds when) { validity.answered(at(when), at(when + 10ms), false); }
};

} // namespace

BOOST_FIXTURE_TEST_CASE(session_is_unproven_before_it_connects, fixture) {
  BOOST_TEST((validity.until() == boot_clock::time_point::min()));
}

BOOST_FIXTURE_TEST_CASE(new_session_is_proven_from_its_connect_request, fixture) {
  connect(0s, true);
  BOOST_TEST((validity.until() == at(timeout)));
}

BOOST_FIXTURE_TEST_CASE(resumed_session_is_proven_by_one_committed_write, fixture) {
  connect(0s, true);
  validity.disconnected();
  connect(5s, false);
  BOOST_TEST((validity.until() == at(timeout)));
  read(6s);
  BOOST_TEST((validity.until() == at(timeout)));
  write(7s);
  BOOST_TEST((validity.until() == at(5s + timeout)));
}

BOOST_FIXTURE_TEST_CASE(writes_within_a_tick_extend_nothing, fixture) {
  connect(0s, true);
  for (auto when = 3000ms; when < 5000ms; when += 20ms)
    write(when);
  BOOST_TEST((validity.until() == at(timeout)));
}

BOOST_FIXTURE_TEST_CASE(first_touch_is_proven_by_a_second_touch_and_two_later_writes, fixture) {
  connect(0s, true);
  write(3000ms);
  write(3020ms);
  // Sent before a whole tick has passed since the answer.
  write(5029ms);
  write(5040ms);
  BOOST_TEST((validity.until() == at(timeout)));
  write(5060ms);
  BOOST_TEST((validity.until() == at(3000ms + timeout)));
}

BOOST_FIXTURE_TEST_CASE(write_sent_before_an_answer_does_not_follow_it, fixture) {
  connect(0s, true);
  read(3000ms);
  read(3020ms);
  validity.answered(at(5100ms), at(5200ms), true);
  validity.answered(at(5199ms), at(5300ms), true);
  BOOST_TEST((validity.until() == at(timeout)));
  write(5300ms);
  BOOST_TEST((validity.until() == at(3000ms + timeout)));
}

BOOST_FIXTURE_TEST_CASE(reads_touch_the_session_but_prove_nothing, fixture) {
  connect(0s, true);
  for (auto when = 1s; when < 60s; when += 1s) {
    read(when);
    read(when + 20ms);
  }
  BOOST_TEST((validity.until() == at(timeout)));
  // The newest touch that is a tick old counts.
  write(60s);
  write(60s + 20ms);
  BOOST_TEST((validity.until() == at(57s + timeout)));
}

BOOST_FIXTURE_TEST_CASE(disconnect_voids_pending_touches, fixture) {
  connect(0s, true);
  read(3000ms);
  read(3020ms);
  write(6s);
  validity.disconnected();
  connect(6500ms, false);
  BOOST_TEST((validity.until() == at(timeout)));
  write(7s);
  BOOST_TEST((validity.until() == at(6500ms + timeout)));
}

BOOST_FIXTURE_TEST_CASE(expired_session_is_unproven, fixture) {
  connect(0s, true);
  validity.disconnected();
  validity.expired();
  BOOST_TEST((validity.until() == boot_clock::time_point::min()));
  connect(20s, true);
  BOOST_TEST((validity.until() == at(20s + timeout)));
}

BOOST_FIXTURE_TEST_CASE(lower_timeout_of_a_new_connection_applies_at_once, fixture) {
  connect(0s, true);
  validity.disconnected();
  validity.connected(at(1s), at(1s + 10ms), 4s, false);
  BOOST_TEST((validity.until() == at(5s)));
}

BOOST_FIXTURE_TEST_CASE(useful_from_is_when_the_next_write_counts, fixture) {
  connect(0s, true);
  write(3000ms);
  BOOST_TEST((validity.useful_from(at(3020ms)) == at(3020ms)));
  write(3020ms);
  BOOST_TEST((validity.useful_from(at(3040ms)) == at(3030ms) + tick));
  write(5040ms);
  BOOST_TEST((validity.useful_from(at(5060ms)) == at(5060ms)));
}

// Checks at each interval, with slow answers, prove the session even at the worst moment.
BOOST_FIXTURE_TEST_CASE(periodic_checks_outlast_the_margin_of_bodies, fixture) {
  for (const auto session : {4'000ms, 6'000ms, 10'000ms, 15'000ms, 30'000ms, 40'000ms}) {
    for (const auto asked : {0ms, check_timing(0ms, tick).longest_interval(session)}) {
      const check_timing kept(asked, tick);
      const auto interval = kept.interval(session);
      BOOST_TEST_CONTEXT("session " << session.count() << " interval " << interval.count()) {
        BOOST_TEST(kept.suffices(session));
        session_validity checked(tick);
        checked.connected(start, start, session, true);
        const auto answer = session / 50;
        for (auto now = start; now < start + 10 * session; now += interval) {
          BOOST_TEST((checked.until() - now > check_timing::margin(session)));
          checked.answered(now, now + answer, true);
          BOOST_TEST((checked.until() - (now + 2 * answer) > check_timing::margin(session)));
          checked.answered(now + answer, now + 2 * answer, true);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(unworkable_check_interval_is_rejected) {
  BOOST_TEST(!check_timing(0ms, tick).suffices(3'999ms));
  BOOST_TEST(check_timing(0ms, tick).suffices(4s));
  BOOST_TEST((check_timing(0ms, tick).interval(4s) == 400ms));
  BOOST_TEST((check_timing(0ms, tick).interval(15s) == 3s));
  BOOST_TEST((check_timing(0ms, tick).longest_interval(10s) == 3s));
  BOOST_TEST(check_timing(3s, tick).suffices(10s));
  BOOST_TEST(!check_timing(3'001ms, tick).suffices(10s));
}

BOOST_AUTO_TEST_SUITE_END()
