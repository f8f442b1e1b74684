// Arguments that are wrong or extreme.
#include "support/world.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/system/system_error.hpp>
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <limits>
#include <string>
#include <thread>
#include <utility>

using namespace zklock;
using namespace zklock::test;
using boost::system::system_error;
using namespace std::string_literals;

namespace {

struct setting {
  asio::io_context io{1};
  testing::raw_client witness{shared_server().direct_address()};
  client zk{io, options_for(shared_server().address())};

  void check_path(const std::string& path, const std::string& fault) {
    BOOST_TEST_CONTEXT(path)
    BOOST_CHECK_EXCEPTION(mutex(zk, path), system_error, [&](const system_error& error) {
      const std::string what = error.what();
      return error.code() == errc::bad_path && what.find(fault) != what.npos;
    });
  }

  template <class Timeout>
  void check_timeout(mutex& lock, Timeout timeout, error_code expected) {
    run(io, [&]() -> asio::awaitable<void> {
      const auto result = co_await lock.acquire(timeout, asio::as_tuple(asio::deferred));
      BOOST_TEST(std::get<0>(result) == expected);
      BOOST_TEST(std::get<1>(result).owns_lock() == !expected);
    });
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(bad_input, setting, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(longest_accepted_durations_work) {
  auto options = options_for(shared_server().address(), 2'147'483'647ms);
  options.connect_timeout = 2'147'483'647ms;
  client patient(io, options);
  BOOST_TEST((patient.session_timeout() == 1'073'741'823ms));
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(patient, fresh_path());
    const hold held = co_await lock.acquire(acquire_options{
        .timeout = 2'147'483'647ms, .hold_limit = std::chrono::nanoseconds::max() - 1ns});
    BOOST_TEST(held.owns_lock());
  });
}

BOOST_AUTO_TEST_CASE(bad_path_is_refused_with_its_fault) {
  check_path("", "invalid path \"\": must not be empty");
  check_path("locks/a", "invalid path \"locks/a\": must start with '/'");
  check_path("/", "invalid path \"/\": must not be the root");
  check_path("/locks/", "invalid path \"/locks/\": must not end with '/'");
  check_path("/locks//a",
             "invalid path \"/locks//a\": must not end with '/' or have an empty name");
  check_path("/locks/../a", "invalid path \"/locks/../a\": must not have the name");
  check_path("/locks/a\0b"s, "invalid path \"/locks/a\\x00b\": must not have a character");
  check_path("/locks/\xff", "invalid path \"/locks/\\xff\": must be UTF-8");
  check_path("/locks/" + std::string(2000, 'a'), "must not be longer than 2000 bytes");
}

BOOST_AUTO_TEST_CASE(unusual_path_that_servers_accept_works) {
  run(io, [&]() -> asio::awaitable<void> {
    const auto path = fresh_path();
    for (const std::string name :
         {"a b", "...", ".a", "%s%n", "a\"b'c", "a\\b", "a:b,c", "*", "_c_x-lock-0000000001",
          "lock-", "\xc3\xa9t\xc3\xa9", "\xe9\x8d\xb5", "\xef\xbf\xaf", "\xc2\xa0"}) {
      mutex lock(zk, path + "/" + name);
      BOOST_TEST(lock.path() == path + "/" + name);
      hold held = co_await lock.acquire(10s);
      BOOST_TEST(held.node().starts_with(path + "/" + name + "/_c_"));
      BOOST_TEST(entries(witness, path + "/" + name) == 1u);
      co_await held.release();
    }
  });
}

BOOST_AUTO_TEST_CASE(path_of_many_short_names_works) {
  run(io, [&]() -> asio::awaitable<void> {
    auto path = fresh_path();
    while (path.size() + 2 <= 1000)
      path += "/d";
    mutex lock(zk, path);
    hold held = co_await lock.acquire(30s);
    BOOST_TEST(entries(witness, path) == 1u);
    co_await held.release();
    held = co_await lock.try_acquire();
    BOOST_TEST(held.owns_lock());
  });
}

BOOST_AUTO_TEST_CASE(negative_timeout_is_refused) {
  mutex lock(zk, fresh_path());
  check_timeout(lock, -1ns, errc::bad_timeout);
  check_timeout(lock, -1s, errc::bad_timeout);
  check_timeout(lock, std::chrono::nanoseconds::min(), errc::bad_timeout);
  check_timeout(lock, std::chrono::hours::min(), errc::bad_timeout);
  check_timeout(lock, std::chrono::years::min(), errc::bad_timeout);
  check_timeout(lock, std::chrono::duration<double>(-0.5), errc::bad_timeout);
  check_timeout(lock, std::chrono::duration<int, std::pico>(-1), errc::bad_timeout);
}

BOOST_AUTO_TEST_CASE(huge_timeout_never_ends) {
  mutex lock(zk, fresh_path());
  const error_code none;
  check_timeout(lock, std::chrono::hours(24 * 365 * 10'000), none);
  check_timeout(lock, std::chrono::nanoseconds::max(), none);
  check_timeout(lock, std::chrono::nanoseconds::max() - 1ns, none);
  check_timeout(lock, std::chrono::seconds::max(), none);
  check_timeout(lock, std::chrono::hours::max(), none);
  check_timeout(lock, std::chrono::years::max(), none);
  check_timeout(lock, std::chrono::duration<double>(std::numeric_limits<double>::infinity()), none);
  check_timeout(lock, std::chrono::duration<float>(1e30f), none);
}

BOOST_AUTO_TEST_CASE(huge_timeout_does_not_delay_a_short_one) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, fresh_path());
    const hold held = co_await lock.acquire(std::chrono::nanoseconds::max());
    auto forever = asio::co_spawn(io, lock.acquire(std::chrono::hours::max(), asio::use_awaitable),
                                  asio::use_future);
    const auto result = co_await lock.acquire(100ms, asio::as_tuple(asio::deferred));
    BOOST_TEST(std::get<0>(result) == errc::timed_out);
    BOOST_TEST((forever.wait_for(0s) == std::future_status::timeout));
  });
}

BOOST_AUTO_TEST_CASE(smallest_timeout_times_out_and_zero_is_a_try) {
  mutex lock(zk, fresh_path());
  run(io, [&]() -> asio::awaitable<void> {
    const hold held = co_await lock.acquire(10s);
    auto result = co_await lock.acquire(1ns, asio::as_tuple(asio::deferred));
    BOOST_TEST(std::get<0>(result) == errc::timed_out);
    result =
        co_await lock.acquire(std::chrono::duration<double>(0), asio::as_tuple(asio::deferred));
    BOOST_TEST(std::get<0>(result) == errc::busy);
  });
}

BOOST_AUTO_TEST_CASE(operation_on_an_empty_hold_fails_empty_hold) {
  hold never;
  hold given = std::move(never);
  for (auto* each : {&never, &given}) {
    BOOST_TEST(!each->owns_lock());
    BOOST_TEST((each->state() == hold_state::empty));
    BOOST_TEST((each->valid_until() == boot_clock::time_point::min()));
    BOOST_TEST((each->token() == fencing_token()));
    BOOST_TEST(each->node() == "");
    // An empty hold has no client, and so no context on which its operations complete.
    const auto is_empty_hold = [](const system_error& e) { return e.code() == errc::empty_hold; };
    BOOST_CHECK_EXCEPTION(each->release(asio::use_future).get(), system_error, is_empty_hold);
    BOOST_CHECK_EXCEPTION(each->wait_lost(asio::use_future).get(), system_error, is_empty_hold);
    // The handler's own executor is used if there is any.
    int completed = 0;
    each->release(asio::bind_executor(io, [&](error_code error) {
      BOOST_TEST(error == errc::empty_hold);
      ++completed;
    }));
    each->wait_lost(asio::bind_executor(io, [&](error_code error, error_code reason) {
      BOOST_TEST(error == errc::empty_hold);
      BOOST_TEST(!reason);
      ++completed;
    }));
    run_until(io, [&] { return completed == 2; });
  }
}

BOOST_AUTO_TEST_CASE(moved_from_hold_is_empty) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, fresh_path());
    hold first = co_await lock.acquire(10s);
    hold second = std::move(first);
    BOOST_TEST((first.state() == hold_state::empty)); // NOLINT(bugprone-use-after-move)
    BOOST_TEST(second.owns_lock());
    // The assignment releases the earlier hold.
    mutex other(zk, fresh_path());
    second = co_await other.acquire(10s);
    BOOST_TEST(second.owns_lock());
    BOOST_TEST(second.node().starts_with(other.path()));
    co_await wait_for_entries(witness, std::string(lock.path()), 0);
  });
}

BOOST_AUTO_TEST_CASE(bad_server_list_is_refused_with_its_fault) {
  const std::pair<const char*, const char*> lists[] = {
      {"", "\"\": a server must be host:port"},
      {"zk1:2181,", "a server must be host:port"},
      {"zk1", "\"zk1\" must have a port"},
      {"zk1:", "must end with a port"},
      {"zk1:0", "must end with a port"},
      {"zk1:65536", "must end with a port"},
      {"zk1:2181x", "must end with a port"},
      {":2181", "must have a host"},
      {"[::x]:2181", "must be an IPv6 address"},
      {"::1:2181", "must have its IPv6 address in brackets"},
      {"zk1:2181/app/", "must not end with '/' or have an empty name"},
      {"zk1:2181/app//a", "must not end with '/' or have an empty name"},
      {"zk1:2181/..", "must not have the name '.' or '..'"},
  };
  for (const auto& [list, fault] : lists)
    BOOST_TEST_CONTEXT(list)
  BOOST_CHECK_EXCEPTION(client(io, options_for(list)), system_error, [&](const auto& error) {
    const std::string what = error.what();
    return error.code() == errc::bad_servers && what.find(fault) != what.npos &&
           what.find(list) != what.npos;
  });
}

BOOST_AUTO_TEST_CASE(bad_option_is_refused_with_its_value) {
  auto options = options_for(shared_server().address());
  options.max_entries_per_lock = 0;
  BOOST_CHECK_EXCEPTION(client(io, options), system_error, [](const auto& error) {
    return error.code() == errc::bad_option &&
           std::string(error.what()).find("invalid max_entries_per_lock 0") != std::string::npos;
  });
}

BOOST_AUTO_TEST_SUITE_END()
