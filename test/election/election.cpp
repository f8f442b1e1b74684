// election: leads term after term.
//
// Source: Curator's LeaderSelector.
#include "multi_lock/several.hpp"

#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/system_error.hpp>

#include <exception>
#include <optional>
#include <stdexcept>

using namespace zklock;
using namespace zklock::test;
using boost::system::system_error;

namespace {

struct terms_of_leaders : several {
  int terms = 0;
  int cut_short = 0;

  // Leads until it is cancelled in all terms but the last.
  asio::awaitable<int> lead(int last) {
    if (++terms == last) co_return terms;
    asio::steady_timer timer(co_await asio::this_coro::executor,
                             asio::steady_timer::time_point::max());
    try {
      co_await timer.async_wait(asio::use_awaitable);
    } catch (const system_error& error) {
      if (error.code() == asio::error::operation_aborted) ++cut_short;
      throw;
    }
    co_return 0;
  }

  asio::awaitable<void> in_term(int which) {
    const auto there = [this, which] { return terms == which; };
    co_await eventually(there);
  }

  // Returns the error that a run threw; no error where it returned.
  template <class Body>
  asio::awaitable<error_code> thrown_by(election candidate, Body body) {
    try {
      co_await candidate.run(body);
    } catch (const system_error& error) {
      co_return error.code();
    }
    co_return error_code();
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(elections, terms_of_leaders, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(run_ends_when_its_body_returns) {
  run(io, [&]() -> asio::awaitable<void> {
    election candidate(zk, a);
    BOOST_TEST(candidate.path() == a);
    const auto count = [&](hold& held) -> asio::awaitable<std::size_t> {
      BOOST_TEST(held.owns_lock());
      co_return entries(witness, a);
    };
    const auto number = co_await candidate.run(count);
    BOOST_TEST(number == 1u);
    BOOST_TEST(entries(witness, a) == 0u);
    const auto act = [&]() -> asio::awaitable<void> {
      ++terms;
      co_return;
    };
    co_await candidate.run(act);
    BOOST_TEST(terms == 1);
    BOOST_TEST(entries(witness, a) == 0u);
  });
}

BOOST_AUTO_TEST_CASE(candidate_leads_again_after_its_session_expired) {
  run(io, [&]() -> asio::awaitable<void> {
    const auto expire = [&]() -> asio::awaitable<void> {
      for (int term = 1; term < 4; ++term) {
        co_await in_term(term);
        BOOST_TEST(shared_server().expire(zk.session_id()));
      }
    };
    asio::co_spawn(io, expire(), asio::detached);
    const election candidate(zk, a);
    const auto body = [this] { return lead(4); };
    const int last = co_await candidate.run(body);
    BOOST_TEST(last == 4);
    BOOST_TEST(cut_short == 3);
    co_await nothing_left();
  });
}

BOOST_AUTO_TEST_CASE(candidate_leads_again_after_its_entry_was_deleted_and_another_led) {
  run(io, [&]() -> asio::awaitable<void> {
    const election candidate(zk, a);
    const election next(other, a);
    std::optional<int> result;
    const auto body = [this] { return lead(2); };
    asio::co_spawn(io, candidate.run(body), [&](std::exception_ptr failure, int value) {
      if (failure) std::rethrow_exception(failure);
      result = value;
    });
    co_await in_term(1);
    bool led = false;
    const auto short_term = [&]() -> asio::awaitable<void> {
      led = true;
      co_return;
    };
    asio::co_spawn(io, next.run(short_term), asio::detached);
    co_await wait_for_entries(witness, a, 2);
    BOOST_TEST(!led);
    witness.remove(a + "/" + [&] {
      auto names = witness.children(a);
      const auto number = [](const std::string& name) { return name.substr(name.size() - 10); };
      return number(names[0]) < number(names[1]) ? names[0] : names[1];
    }());
    const auto over = [&] { return result.has_value(); };
    co_await eventually(over);
    BOOST_TEST(*result == 2);
    BOOST_TEST(led);
    BOOST_TEST(cut_short == 1);
    co_await nothing_left();
  });
}

BOOST_AUTO_TEST_CASE(two_candidates_never_lead_at_a_time) {
  int leading = 0;
  const auto serve = [&](hold& held) -> asio::awaitable<void> {
    BOOST_TEST(leading == 0);
    ++leading;
    for (int i = 0; i < 3; ++i)
      co_await asio::post(io, asio::use_awaitable);
    BOOST_TEST(held.owns_lock());
    --leading;
    ++terms;
  };
  const auto stand = [&](election candidate) -> asio::awaitable<void> {
    for (int i = 0; i < 25; ++i)
      co_await candidate.run(serve);
  };
  run(io, [&]() -> asio::awaitable<void> {
    std::vector<asio::awaitable<void>> candidates;
    for (int i = 0; i < 6; ++i)
      candidates.push_back(stand(election(i % 2 == 0 ? zk : other, a)));
    co_await together(std::move(candidates));
    co_await nothing_left();
  });
  BOOST_TEST(terms == 6 * 25);
}

BOOST_AUTO_TEST_CASE(run_ends_when_its_body_throws) {
  run(io, [&]() -> asio::awaitable<void> {
    const election candidate(zk, a);
    const auto fail = [&]() -> asio::awaitable<void> {
      ++terms;
      throw std::out_of_range("of its own");
      co_return;
    };
    bool thrown = false;
    try {
      co_await candidate.run(fail);
    } catch (const std::out_of_range&) {
      thrown = true;
    }
    BOOST_TEST(thrown);
    // The error belongs to another lock, not to this leadership.
    const auto lose_another = [&]() -> asio::awaitable<int> {
      ++terms;
      throw system_error(errc::session_expired);
      co_return 0;
    };
    const auto error = co_await thrown_by(candidate, lose_another);
    BOOST_TEST((error == errc::session_expired));
    BOOST_TEST(terms == 2);
    co_await nothing_left();
  });
}

BOOST_AUTO_TEST_CASE(run_ends_when_its_body_resigns) {
  run(io, [&]() -> asio::awaitable<void> {
    const election candidate(zk, a);
    const auto resign = [&](hold& held) -> asio::awaitable<int> {
      if (++terms > 1) throw std::out_of_range("elected again");
      co_await held.release();
      BOOST_TEST(entries(witness, a) == 0u);
      co_return 42;
    };
    const int result = co_await candidate.run(resign);
    BOOST_TEST(result == 42);
    hold kept;
    const auto go_on_elsewhere = [&](hold& held) -> asio::awaitable<void> {
      if (++terms > 2) throw std::out_of_range("elected again");
      kept = std::move(held);
      co_return;
    };
    co_await candidate.run(go_on_elsewhere);
    BOOST_TEST(kept.owns_lock());
    co_await kept.release();
    co_await nothing_left();
  });
}

BOOST_AUTO_TEST_CASE(limits_end_a_wait_and_a_term) {
  run(io, [&]() -> asio::awaitable<void> {
    const election candidate(zk, a);
    const auto lead_until_the_second_term = [this] { return lead(2); };
    const acquire_options short_terms{.hold_limit = 200ms};
    const int last = co_await candidate.run(short_terms, lead_until_the_second_term);
    BOOST_TEST(last == 2);
    BOOST_TEST(cut_short == 1);

    const hold leader = co_await candidate.lock().acquire(10s);
    const election next(other, a);
    for (const auto limit : {0ms, 200ms}) {
      const auto [failure, term] = co_await next.run({.timeout = limit}, lead_until_the_second_term,
                                                     asio::as_tuple(asio::use_awaitable));
      BOOST_REQUIRE(failure);
      BOOST_CHECK_EXCEPTION(std::rethrow_exception(failure), system_error, [&](const auto& error) {
        return error.code() == (limit == 0ms ? errc::busy : errc::timed_out);
      });
    }
  });
}

BOOST_AUTO_TEST_CASE(cancelled_run_ends_its_wait_and_its_body) {
  run(io, [&]() -> asio::awaitable<void> {
    const election candidate(zk, a);
    const auto body = [this] { return lead(100); };
    std::exception_ptr first;
    std::exception_ptr second;
    asio::cancellation_signal stop_first;
    asio::cancellation_signal stop_second;
    asio::co_spawn(io, candidate.run(body),
                   asio::bind_cancellation_slot(stop_first.slot(),
                                                [&](std::exception_ptr e, int) { first = e; }));
    co_await in_term(1);
    asio::co_spawn(io, candidate.run(body),
                   asio::bind_cancellation_slot(stop_second.slot(),
                                                [&](std::exception_ptr e, int) { second = e; }));
    co_await wait_for_entries(witness, a, 2);
    const auto aborted = [](const system_error& error) {
      return error.code() == asio::error::operation_aborted;
    };
    stop_second.emit(asio::cancellation_type::terminal);
    const auto second_over = [&] { return second != nullptr; };
    co_await eventually(second_over);
    BOOST_CHECK_EXCEPTION(std::rethrow_exception(second), system_error, aborted);
    BOOST_TEST(cut_short == 0);
    stop_first.emit(asio::cancellation_type::terminal);
    const auto first_over = [&] { return first != nullptr; };
    co_await eventually(first_over);
    BOOST_CHECK_EXCEPTION(std::rethrow_exception(first), system_error, aborted);
    BOOST_TEST(cut_short == 1);
    BOOST_TEST(terms == 1);
    co_await nothing_left();
  });
}

BOOST_AUTO_TEST_CASE(run_fails_on_an_error_that_waiting_cannot_cure) {
  make(b, 1);
  run(io, [&]() -> asio::awaitable<void> {
    const auto body = [this] { return lead(100); };
    const auto forbidden = co_await thrown_by(election(zk, b), body);
    BOOST_TEST((forbidden == errc::no_permission));
    const auto close = [&]() -> asio::awaitable<void> {
      co_await in_term(1);
      co_await zk.close();
    };
    asio::co_spawn(io, close(), asio::detached);
    const auto closed = co_await thrown_by(election(zk, a), body);
    BOOST_TEST((closed == errc::closed));
    BOOST_TEST(cut_short == 1);
  });
  BOOST_CHECK_EXCEPTION(election(zk, "no path"), system_error,
                        [](const auto& error) { return error.code() == errc::bad_path; });
}

BOOST_AUTO_TEST_SUITE_END()
