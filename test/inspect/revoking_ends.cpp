// The wait for a release request ends: with its hold, its entry, its session or its client.
#include "inspect/looking.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

using namespace zklock;
using namespace zklock::test;

BOOST_FIXTURE_TEST_SUITE(revoking_ends, looking_scene, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(wait_for_requests_ends_with_the_hold) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex ours(zk, path);
    hold held = co_await ours.acquire(10s);
    pending<std::string> request;
    held.wait_release_requested(request.token());
    co_await held.release();
    BOOST_TEST((std::get<0>(co_await request.get()) == asio::error::operation_aborted));
    const auto [error, none] = co_await held.wait_release_requested(as_result);
    BOOST_TEST((error == errc::empty_hold));

    held = co_await ours.acquire(10s);
    pending<std::string> cancelled;
    asio::cancellation_signal stop;
    held.wait_release_requested(asio::bind_cancellation_slot(stop.slot(), cancelled.token()));
    co_await watched(held.node());
    stop.emit(asio::cancellation_type::partial);
    BOOST_TEST((std::get<0>(co_await cancelled.get()) == asio::error::operation_aborted));
    BOOST_TEST(held.owns_lock());

    pending<std::string> closing;
    held.wait_release_requested(closing.token());
    co_await zk.close();
    BOOST_TEST((std::get<0>(co_await closing.get()) == errc::closed));
    const auto [after, unset] = co_await held.wait_release_requested(as_result);
    BOOST_TEST((after == errc::closed));
  });
}

// The watch of the wait tells it. The next check would come eight seconds later.
BOOST_AUTO_TEST_CASE(deleted_or_broken_entry_ends_the_wait_and_the_hold_at_once) {
  const auto locks_of = [this](const client& user) {
    shared_mutex shared(user, path + "-shared");
    return std::vector<any_lock>{mutex(user, path), shared, shared.shared(),
                                 semaphore(user, path + "-counted", 3).permits(2)};
  };
  run(io, [&]() -> asio::awaitable<void> {
    auto ours = locks_of(zk);
    auto theirs = locks_of(other);
    for (std::size_t i = 0; i < ours.size(); ++i) {
      for (const bool is_broken : {false, true}) {
        const hold held = co_await ours[i].acquire(10s);
        pending<std::string> request;
        held.wait_release_requested(request.token());
        co_await watched(held.node());
        const auto begin = std::chrono::steady_clock::now();
        if (is_broken)
          BOOST_TEST(co_await theirs[i].break_lock() >= 1u);
        else
          witness.remove(held.node());
        BOOST_TEST((co_await request.wait() == errc::entry_deleted));
        BOOST_TEST((co_await held.wait_lost() == errc::entry_deleted));
        BOOST_TEST((std::chrono::steady_clock::now() - begin < 4s));
        BOOST_TEST((held.state() == hold_state::lost));
      }
    }
  });
}

BOOST_AUTO_TEST_CASE(wait_for_requests_continues_after_a_lost_connection) {
  auto options = named("patient", door.address());
  options.connect_timeout = 100ms;
  client patient(io, options);
  run(io, [&]() -> asio::awaitable<void> {
    mutex ours(patient, path);
    const hold held = co_await ours.acquire(10s);
    const auto holder = (co_await ours.participants()).at(0);
    pending<std::string> request;
    held.wait_release_requested(request.token());
    co_await watched(held.node());
    door.refuse();
    const auto cut = [&] { return !patient.connected(); };
    co_await eventually(cut);
    co_await mutex(zk, path).request_release(holder);
    // Operations without a hold do not wait as long.
    const auto [impatient, count] = co_await ours.count_waiting(as_result);
    BOOST_TEST((impatient == errc::not_connected));
    BOOST_TEST(!request.done());
    door.heal();
    const auto [error, requester] = co_await request.get();
    BOOST_TEST(!error);
    BOOST_TEST(requester == "holder");
  });
}

BOOST_AUTO_TEST_CASE(expired_session_ends_the_wait) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex ours(other, path);
    const hold held = co_await ours.acquire(10s);
    pending<std::string> request;
    held.wait_release_requested(request.token());
    co_await watched(held.node());
    BOOST_TEST(shared_server().expire(other.session_id()));
    BOOST_TEST((std::get<0>(co_await request.get()) == errc::session_expired));
  });
}

BOOST_AUTO_TEST_SUITE_END()
