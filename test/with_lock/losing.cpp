// with_lock while its hold is lost, or may be lost soon.
#include "support/scene.hpp"

#include <boost/asio/detached.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/system/system_error.hpp>
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>

using namespace zklock;
using namespace zklock::test;
using boost::system::system_error;
using std::chrono::steady_clock;

namespace {

client_options attentive(const std::string& servers) {
  auto options = options_for(servers, 3s);
  options.check_interval = 100ms;
  return options;
}

struct losing_setting : one_lock {
  losing_setting() : one_lock({.ours = attentive(behind_door)}) {}

  bool running = false;
  // The state of the hold when the body was cancelled.
  bool cancelled = false;
  bool owned = false;
  hold_state state = hold_state::empty;

  // Waits until it is cancelled.
  asio::awaitable<void> wait(hold& held) {
    error_code error;
    asio::steady_timer timer(co_await asio::this_coro::executor,
                             asio::steady_timer::time_point::max());
    running = true;
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, error));
    cancelled = error == asio::error::operation_aborted;
    owned = held.owns_lock();
    state = held.state();
  }

  // Returns the error that with_lock threw; no error where it threw nothing.
  template <class Body>
  asio::awaitable<error_code> outcome(Body body) {
    try {
      co_await with_lock(lock, 10s, body);
    } catch (const system_error& error) {
      co_return error.code();
    }
    co_return error_code();
  }

  // Runs an action once the body runs.
  void when_running(std::function<void()> act) {
    const auto wait_for_it = [](losing_setting& self, auto action) -> asio::awaitable<void> {
      const auto there = [&self] { return self.running; };
      co_await eventually(there);
      action();
    };
    asio::co_spawn(io, wait_for_it(*this, std::move(act)), asio::detached);
  }

  // A body that waits until it is cancelled, and records that.
  const std::function<asio::awaitable<void>(hold&)> patient =
      [this](hold& held) -> asio::awaitable<void> {
    co_await wait(held);
    throw system_error(asio::error::operation_aborted);
  };

  void delete_entries() {
    for (const auto& name : witness.children(path))
      witness.remove(path + "/" + name);
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(with_lock_losing, losing_setting, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(body_is_cancelled_when_its_entry_is_deleted) {
  run(io, [&]() -> asio::awaitable<void> {
    when_running([this] { delete_entries(); });
    const auto error = co_await outcome(patient);
    BOOST_TEST(error == errc::entry_deleted);
    BOOST_TEST(cancelled);
    BOOST_TEST(!owned);
    BOOST_TEST((state == hold_state::lost));
    // The lock works again.
    const hold held = co_await lock.acquire(10s);
    BOOST_TEST(held.owns_lock());
  });
}

BOOST_AUTO_TEST_CASE(body_is_cancelled_when_the_session_expires) {
  run(io, [&]() -> asio::awaitable<void> {
    when_running([this] { BOOST_TEST(shared_server().expire(zk.session_id())); });
    const auto error = co_await outcome(patient);
    BOOST_TEST((error == errc::session_expired || error == errc::in_doubt));
    BOOST_TEST(cancelled);
    const hold held = co_await lock.acquire(10s);
    BOOST_TEST(entries(witness, path) == 1u);
  });
}

BOOST_AUTO_TEST_CASE(body_is_cancelled_when_the_client_is_closed) {
  run(io, [&]() -> asio::awaitable<void> {
    when_running([this] { zk.close(asio::detached); });
    const auto error = co_await outcome(patient);
    BOOST_TEST(error == errc::closed);
    BOOST_TEST(cancelled);
  });
}

BOOST_AUTO_TEST_CASE(body_is_cancelled_when_the_server_falls_silent) {
  // The hold is in doubt before the connection is known to be lost.
  zk = client(io, options_for(door.address(), 3s));
  lock = mutex(zk, path);
  run(io, [&]() -> asio::awaitable<void> {
    steady_clock::time_point silent;
    when_running([&] {
      door.silence();
      silent = steady_clock::now();
    });
    const auto error = co_await outcome(patient);
    const auto took = steady_clock::now() - silent;
    BOOST_TEST(error == errc::in_doubt);
    // The body had time to finish.
    BOOST_TEST(owned);
    BOOST_TEST((took > 1s));
    // with_lock does not wait for the server to come back.
    BOOST_TEST((took < 3s));
    door.heal();
    const hold held = co_await lock.acquire(10s);
    co_await wait_for_entries(witness, path, 1);
  });
}

BOOST_AUTO_TEST_CASE(body_is_cancelled_when_the_server_hangs_up) {
  run(io, [&]() -> asio::awaitable<void> {
    when_running([this] { door.refuse(); });
    const auto error = co_await outcome(patient);
    BOOST_TEST(error == errc::in_doubt);
    BOOST_TEST(cancelled);
    BOOST_TEST(owned);
    BOOST_TEST((state == hold_state::in_doubt));
    door.heal();
    const hold held = co_await lock.acquire(10s);
    co_await wait_for_entries(witness, path, 1);
  });
}

BOOST_AUTO_TEST_CASE(body_finishes_when_the_connection_is_back_in_time) {
  run(io, [&]() -> asio::awaitable<void> {
    const auto body = [this](hold& held) -> asio::awaitable<void> {
      door.cut();
      const auto gone = [&] { return !zk.connected(); };
      const auto back = [&] { return held.state() == hold_state::held; };
      co_await eventually(gone);
      BOOST_TEST((held.state() == hold_state::in_doubt));
      BOOST_TEST(held.owns_lock());
      co_await eventually(back);
    };
    const auto error = co_await outcome(body);
    BOOST_TEST(!error);
    co_await wait_for_entries(witness, path, 0);
  });
}

BOOST_AUTO_TEST_CASE(cancelled_body_that_finishes_in_time_succeeds) {
  run(io, [&]() -> asio::awaitable<void> {
    const auto body = [this](hold& held) { return wait(held); };
    when_running([this] { door.silence(); });
    const auto error = co_await outcome(body);
    BOOST_TEST(cancelled);
    BOOST_TEST(owned);
    BOOST_TEST(!error);
    door.heal();
    co_await wait_for_entries(witness, path, 0);
  });
}

BOOST_AUTO_TEST_CASE(cancelled_body_that_finishes_too_late_fails) {
  run(io, [&]() -> asio::awaitable<void> {
    const auto body = [this](hold& held) -> asio::awaitable<void> {
      co_await wait(held);
      co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
      const auto too_late = [&held] { return !held.owns_lock(); };
      co_await eventually(too_late);
    };
    when_running([this] { door.silence(); });
    const auto error = co_await outcome(body);
    BOOST_TEST(error == errc::in_doubt);
    door.heal();
    co_await wait_for_entries(witness, path, 0);
  });
}

// The program blocks its executor until less is left of the proven time than a body needs.
BOOST_AUTO_TEST_CASE(body_begins_after_the_executor_was_blocked) {
  auto options = options_for(door.address(), 5s);
  options.check_interval = 1500ms;
  zk = client(io, options);
  lock = mutex(zk, path);
  const mutex other(zk, fresh_path());
  run(io, [&]() -> asio::awaitable<void> {
    const hold held = co_await lock.acquire(10s);
    const auto is_check_due = [&] { return held.valid_until() - boot_clock::now() < 2200ms; };
    co_await eventually(is_check_due);
    // A reply keeps the connection.
    co_await lock.participants();
    std::this_thread::sleep_until(steady_clock::now() + (held.valid_until() - boot_clock::now()) -
                                  zk.session_timeout() / 20);
    bool has_begun = false;
    const auto body = [&has_begun](hold&) -> asio::awaitable<void> {
      has_begun = true;
      co_return;
    };
    co_await with_lock(other, 10s, body);
    BOOST_TEST(has_begun);
  });
}

BOOST_AUTO_TEST_CASE(exception_of_a_cancelled_body_is_rethrown) {
  run(io, [&]() -> asio::awaitable<void> {
    const auto body = [this](hold& held) -> asio::awaitable<void> {
      co_await wait(held);
      throw std::out_of_range("of its own");
    };
    when_running([this] { delete_entries(); });
    bool thrown = false;
    try {
      co_await with_lock(lock, 10s, body);
    } catch (const std::out_of_range&) {
      thrown = true;
    }
    BOOST_TEST(thrown);
    BOOST_TEST(cancelled);
  });
}

// The servers are gone while the lock is released.
BOOST_AUTO_TEST_CASE(result_does_not_wait_for_a_lost_server) {
  run(io, [&]() -> asio::awaitable<void> {
    for (const bool hang_up : {true, false}) {
      const auto body = [&](hold&) -> asio::awaitable<void> {
        if (hang_up)
          door.refuse();
        else
          door.silence();
        co_return;
      };
      const auto begun = steady_clock::now();
      const auto error = co_await outcome(body);
      BOOST_TEST(!error);
      // As long as the hold was proven, which is at most the session timeout of 3 s.
      BOOST_TEST((steady_clock::now() - begun < 5s));
      door.heal();
      co_await wait_for_entries(witness, path, 0);
    }
  });
}

BOOST_AUTO_TEST_SUITE_END()
