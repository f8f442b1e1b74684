// What ends the wait for a release request.
#include "inspect/looking.hpp"

#include <boost/test/unit_test.hpp>

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

// The checks find it in eight seconds, the watch at once.
BOOST_AUTO_TEST_CASE(deleted_entry_ends_the_wait_at_once) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex plain(zk, path);
    shared_mutex shared(zk, path + "-shared");
    semaphore counted(zk, path + "-counted", 3);
    std::vector<any_lock> locks{plain, shared, shared.shared(), counted.permits(2)};
    for (auto& lock : locks) {
      const hold held = co_await lock.acquire(10s);
      pending<std::string> request;
      held.wait_release_requested(request.token());
      co_await watched(held.node());
      const auto begin = std::chrono::steady_clock::now();
      witness.remove(held.node());
      BOOST_TEST((std::get<0>(co_await request.get()) == errc::entry_deleted));
      BOOST_TEST((co_await held.wait_lost() == errc::entry_deleted));
      BOOST_TEST((std::chrono::steady_clock::now() - begin < 4s));
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
