// The lines that a client logs of its locks.
#include "inspect/looking.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdio>

using namespace zklock;
using namespace zklock::test;

namespace {

struct entry {
  log_level level;
  std::string line;
};

struct entry_log {
  std::vector<entry> log;
};

/// A client whose log is kept, and another client.
struct logging_scene : entry_log, two_clients {
  logging_scene()
      : two_clients({.ours = logging(log),
                     .theirs = named("an \"operator\" token=1"),
                     .name = "a lock with=spaces"}) {}

  static client_options logging(std::vector<entry>& to) {
    auto options = options_for(behind_door, 6s);
    options.log = [&to](log_level level, std::string_view line) {
      to.push_back({level, std::string(line)});
    };
    return options;
  }

  static client_options named(const std::string& identity) {
    auto options = options_for(shared_server().address(), 30s);
    options.identity = identity;
    return options;
  }

  std::size_t count(std::string_view sentence) const {
    return static_cast<std::size_t>(std::count_if(log.begin(), log.end(), [&](const entry& each) {
      return each.line.starts_with(sentence);
    }));
  }

  asio::awaitable<entry> logged(std::string sentence) {
    const auto there = [&] { return count(sentence) == 1; };
    co_await eventually(there);
    co_return *std::find_if(log.begin(), log.end(),
                            [&](const entry& each) { return each.line.starts_with(sentence); });
  }

  /// The fields that tell a hold, up to the seconds.
  static std::string fields_of(const hold& held, const std::string& session) {
    return " node=\"" + held.node() + "\" token=" + held.token().to_string() +
           " session=" + session + " held_for_s=";
  }

  std::string session() const {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(zk.session_id()));
    return text;
  }

  void expect(const entry& found, log_level level, const std::string& front,
              const std::string& back = {}) const {
    BOOST_TEST((found.level == level));
    BOOST_TEST_REQUIRE(found.line.starts_with(front), found.line << " begins with " << front);
    const auto number = found.line.substr(front.size());
    const auto digits = number.find_first_not_of("0123456789.");
    BOOST_TEST(number.find('.') + 4 == std::min(digits, number.size()), found.line);
    BOOST_TEST((digits == number.npos ? "" : number.substr(digits)) == back);
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(lock_log, logging_scene, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(lost_lock_is_logged_with_its_reason) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, path);
    const hold held = co_await lock.acquire(10s);
    co_await lock.break_lock();
    expect(co_await logged("lost a lock"), log_level::warning,
           "lost a lock path=\"" + path + "\" reason=entry_deleted" + fields_of(held, session()));
    const auto broken = co_await logged("broke a lock");
    BOOST_TEST((broken.level == log_level::info));
    BOOST_TEST(broken.line == "broke a lock path=\"" + path + "\" node=\"" + held.node() +
                                  "\" session=" + session());
    BOOST_TEST(zk.stats().broken == 1u);
  });
}

BOOST_AUTO_TEST_CASE(locks_lost_with_the_session_name_that_session) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, path);
    const hold held = co_await lock.acquire(10s);
    const auto before = session();
    shared_server().expire(zk.session_id());
    expect(co_await logged("lost a lock"), log_level::warning,
           "lost a lock path=\"" + path + "\" reason=session_expired" + fields_of(held, before));
    const auto expired = co_await logged("the session has expired");
    BOOST_TEST((expired.level == log_level::warning));
    BOOST_TEST(expired.line == "the session has expired session=" + before);
    const auto back = [&] { return zk.connected(); };
    co_await eventually(back);
    BOOST_TEST(log.back().line == "connected to " + door.address() + " server=" + door.address() +
                                      " session=" + session() +
                                      " new_session=true session_timeout_ms=6000");
  });
}

BOOST_AUTO_TEST_CASE(hold_limit_is_logged) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, path);
    const hold held = co_await lock.acquire({.hold_limit = 10ms});
    expect(co_await logged("lost a lock"), log_level::warning,
           "lost a lock path=\"" + path + "\" reason=hold_limit_reached" +
               fields_of(held, session()));
  });
}

BOOST_AUTO_TEST_CASE(request_cannot_forge_a_field) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, path);
    const mutex asking(other, path);
    const hold held = co_await lock.acquire(10s);
    pending<std::string> request;
    held.wait_release_requested(request.token());
    const auto all = co_await asking.participants();
    co_await asking.request_release(all.at(0));
    co_await request.get();
    expect(co_await logged("asked to release"), log_level::info,
           "asked to release a lock path=\"" + path +
               "\" requester=\"an \\\"operator\\\" token=1\"" + fields_of(held, session()));
  });
}

BOOST_AUTO_TEST_CASE(body_cancelled_in_doubt_is_logged) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, path);
    const auto front = "a lock is in doubt path=\"" + path + "\" valid_for_s=";
    auto body = [&]() -> asio::awaitable<void> {
      door.silence();
      asio::steady_timer endless(io, 60s);
      co_await endless.async_wait(asio::use_awaitable);
    };
    const auto [failed] = co_await asio::co_spawn(io, with_lock(lock, 10s, body),
                                                  asio::as_tuple(asio::use_awaitable));
    BOOST_TEST((failed != nullptr));
    const auto found = co_await logged("a lock is in doubt");
    BOOST_TEST((found.level == log_level::warning));
    BOOST_TEST(found.line.starts_with(front));
    BOOST_TEST(found.line.find(" held_for_s=") != found.line.npos);
    door.heal();
  });
}

BOOST_AUTO_TEST_CASE(lock_lost_by_closing_is_not_logged) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, path);
    const hold held = co_await lock.acquire(10s);
    co_await zk.close();
    BOOST_TEST((held.state() == hold_state::lost));
    BOOST_TEST(count("lost a lock") == 0u);
  });
}

BOOST_AUTO_TEST_SUITE_END()
