// Transactions that are not sent, or are not sent twice.
#include "inspect/looking.hpp"
#include "support/stat_of.hpp"
#include "testing/relay_hooks.hpp"

#include <boost/test/unit_test.hpp>

using namespace zklock;
using namespace zklock::test;
using testing::operation;

BOOST_FIXTURE_TEST_SUITE(commits_not_sent, commit_scene, *boost::unit_test::timeout(120))

// Carried out or not, the transaction is not sent again.
BOOST_AUTO_TEST_CASE(commit_with_a_lost_answer_fails_unknown_outcome) {
  run(io, [&]() -> asio::awaitable<void> {
    const hold held = co_await lock.acquire(10s);
    for (const bool done : {false, true}) {
      const auto before = stat_of(witness, data).version;
      const auto answered = door.replies(operation::multi);
      const auto hook = done ? testing::relay_hooks(door).cut_before_reply(operation::multi)
                             : testing::relay_hooks(door).cut_before_request(operation::multi);
      const auto [error, result] = co_await held.commit(transaction().set(data, "x"), as_result);
      hook.wait();
      BOOST_TEST((error == errc::unknown_outcome));
      // The next connection of this session begins with three transactions of its own: they
      // must not be taken for the next commit.
      const auto settled = [&] { return door.replies(operation::multi) >= answered + 3; };
      co_await eventually(settled);
      BOOST_TEST(stat_of(witness, data).version == before + done);
    }
    BOOST_TEST(held.owns_lock());
    co_await held.commit(transaction().set(data, "x"));
  });
}

BOOST_AUTO_TEST_CASE(commit_not_yet_sent_waits_for_the_connection) {
  run(io, [&]() -> asio::awaitable<void> {
    const hold held = co_await lock.acquire(10s);
    door.refuse();
    const auto gone = [&] { return !other.connected(); };
    co_await eventually(gone);
    pending<commit_result> committing, cancelled;
    asio::cancellation_signal stop;
    held.commit(transaction().set(data, "x"), committing.token());
    held.commit(transaction().set(data, "y"),
                asio::bind_cancellation_slot(stop.slot(), cancelled.token()));
    stop.emit(asio::cancellation_type::terminal);
    BOOST_TEST((std::get<0>(co_await cancelled.get()) == asio::error::operation_aborted));
    BOOST_TEST(!committing.done());
    door.heal();
    BOOST_TEST(!std::get<0>(co_await committing.get()));
    BOOST_TEST(witness.get(data).data == "x");
    BOOST_TEST(stat_of(witness, data).version == 1);
  });
}

BOOST_AUTO_TEST_CASE(commit_is_not_sent_after_the_session_expired) {
  run(io, [&]() -> asio::awaitable<void> {
    const hold held = co_await lock.acquire(10s);
    door.refuse();
    const auto gone = [&] { return !other.connected(); };
    co_await eventually(gone);
    BOOST_TEST(shared_server().expire(other.session_id()));
    pending<commit_result> committing;
    held.commit(transaction().set(data, "x"), committing.token());
    door.heal();
    BOOST_TEST((std::get<0>(co_await committing.get()) == errc::session_expired));
    BOOST_TEST(stat_of(witness, data).version == 0);
  });
}

// The C client frees a path that it refuses twice.
BOOST_AUTO_TEST_CASE(commit_with_a_bad_path_is_not_sent) {
  run(io, [&]() -> asio::awaitable<void> {
    const hold held = co_await lock.acquire(10s);
    door.reset_counts();
    const std::vector<std::string> bad{"",
                                       "data",
                                       "/a/",
                                       "/a//b",
                                       "/a/.",
                                       "/..",
                                       "/./a",
                                       "//",
                                       "/a\x01",
                                       "/\xff",
                                       std::string("/a\0b", 4)};
    for (const auto& one : bad) {
      std::vector<transaction> all(4);
      all[0].check(data).create(one);
      all[1].check(data).set(one, "");
      all[2].check(data).remove(one);
      all[3].check(data).check(one);
      for (const auto& each : all) {
        const auto [error, result] = co_await held.commit(each, as_result);
        BOOST_TEST((error == errc::bad_path));
        BOOST_TEST((result.failed_part == 1u));
      }
    }
    for (const auto& each : {transaction().create("/"), transaction().remove("/")}) {
      const auto [error, result] = co_await held.commit(each, as_result);
      BOOST_TEST((error == errc::bad_path));
      BOOST_TEST((result.failed_part == 0u));
    }
    BOOST_TEST(requests_sent() == "");
    co_await held.commit(transaction().check("/"));
    BOOST_TEST(held.owns_lock());
  });
}

BOOST_AUTO_TEST_CASE(commit_that_is_empty_or_too_large_is_refused) {
  run(io, [&]() -> asio::awaitable<void> {
    const hold held = co_await lock.acquire(10s);
    door.reset_counts();
    auto [error, result] = co_await held.commit(transaction(), as_result);
    BOOST_TEST((error == errc::bad_transaction));
    transaction large;
    for (int i = 0; i < 4; ++i)
      large.set(data, std::string(std::size_t{256} * 1024, 'x'));
    std::tie(error, result) = co_await held.commit(large, as_result);
    BOOST_TEST((error == errc::bad_transaction));
    transaction many;
    for (int i = 0; i < 40'000; ++i)
      many.check(data);
    std::tie(error, result) = co_await held.commit(many, as_result);
    BOOST_TEST((error == errc::bad_transaction));
    BOOST_TEST(requests_sent() == "");
    // Just small enough.
    co_await held.commit(transaction().set(data, std::string(std::size_t{1024} * 1024 - 600, 'x')));
    BOOST_TEST(stat_of(witness, data).version == 1);
  });
}

BOOST_AUTO_TEST_SUITE_END()
