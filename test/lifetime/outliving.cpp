// Operations of a client whose execution context is destroyed while another context runs their
// handlers.
#include <zklock/election.hpp>

#include "support/background.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/system_executor.hpp>
#include <boost/test/unit_test.hpp>

#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

using namespace zklock;
using namespace zklock::test;

BOOST_AUTO_TEST_SUITE(outliving, *boost::unit_test::timeout(180))

namespace {

// The results of operations whose handlers run on a context of their own.
struct outcomes {
  // For handlers of any results: stores the first error, or the reason of a loss.
  auto operator()(const std::string& name) {
    BOOST_TEST_REQUIRE(all.emplace(name, std::nullopt).second);
    return asio::bind_executor(io, [this, name](error_code error, auto... others) {
      BOOST_TEST_REQUIRE(!all.at(name).has_value());
      all.at(name) = error;
      if constexpr ((std::is_same_v<decltype(others), error_code> || ...))
        if (!error) (static_cast<void>(all.at(name) = others), ...);
    });
  }

  auto failure(const std::string& name) {
    BOOST_TEST_REQUIRE(all.emplace(name, std::nullopt).second);
    return [this, name](const std::exception_ptr& failure) {
      try {
        std::rethrow_exception(failure);
      } catch (const boost::system::system_error& error) {
        all.at(name) = error.code();
      }
    };
  }

  // No work is left that keeps the context busy.
  void expect(const std::map<std::string, error_code>& others = {}) {
    io.restart();
    io.run_for(30s);
    BOOST_TEST(io.stopped());
    for (const auto& [name, ended] : all) {
      BOOST_TEST_CONTEXT(name) {
        const auto expected = others.contains(name) ? others.at(name) : error_code(errc::closed);
        BOOST_TEST((ended == expected));
      }
    }
  }

  asio::io_context io{1};
  std::map<std::string, std::optional<error_code>> all;
};

// The executor of the client.
struct of_context {
  static asio::any_io_executor make(asio::io_context& io) { return io.get_executor(); }
};

struct strand_of_context {
  static asio::any_io_executor make(asio::io_context& io) { return asio::make_strand(io); }
};

using executors = std::tuple<of_context, strand_of_context>;

// A client with holds, on a context that is destroyed later.
template <class Executor>
struct outlived_context {
  outlived_context() {
    acquire(*lock, held);
    acquire(*second, more);
    acquire(*writer, writes);
    several.acquire([this](error_code, multi_hold got) { many = std::move(got); });
    run_until(*io, [&] { return many.owns_lock(); });
  }

  void acquire(any_lock which, hold& to) {
    which.acquire([&](error_code, hold got) { to = std::move(got); });
    run_until(*io, [&] { return to.owns_lock(); });
  }

  std::string below(const char* name) const { return path + '/' + name; }

  const std::string path = fresh_path();
  testing::relay door{shared_server().direct_address()};
  std::optional<asio::io_context> io{std::in_place, 1};
  std::optional<client> zk{std::in_place, Executor::make(*io), options_for(door.address(), 60s)};
  std::optional<mutex> lock{std::in_place, *zk, below("lock")};
  std::optional<mutex> second{std::in_place, *zk, below("second")};
  shared_mutex shared{*zk, below("shared")};
  std::optional<any_lock> writer{shared};
  multi_lock several{mutex(*zk, below("a")), mutex(*zk, below("b"))};
  hold held;
  hold more;
  hold writes;
  multi_hold many;
};

// Starts every operation of a client, its locks and its holds.
template <class Executor>
void start_all(outlived_context<Executor>& s, outcomes& ends) {
  s.lock->acquire(ends("acquire"));
  s.lock->acquire(1h, ends("acquire with a timeout"));
  s.lock->try_acquire(ends("try_acquire"));
  s.several.acquire(ends("multi_lock"));
  acquire_any({*s.lock, *s.second}, ends("acquire_any"));
  s.lock->participants(ends("participants"));
  s.lock->count_waiting(ends("count_waiting"));
  s.lock->wait_holder_changed(std::nullopt, ends("wait_holder_changed"));
  s.lock->break_lock(ends("break_lock"));
  participant holder;
  holder.node = s.held.node();
  s.lock->request_release(holder, ends("request_release"));
  s.held.wait_lost(ends("wait_lost"));
  s.held.wait_release_requested(ends("wait_release_requested"));
  s.held.commit(transaction().create(s.path + "/node"), ends("commit"));
  s.held.set_identity("leader", ends("set_identity"));
  s.writes.downgrade(ends("downgrade"));
  s.many.wait_lost(ends("multi_hold lost"));
  s.many.release(ends("multi_hold release"));
  s.more.release(ends("release"));
}

asio::awaitable<void> sleep_with(mutex lock) {
  auto body = [](hold&) -> asio::awaitable<void> {
    asio::steady_timer never(co_await asio::this_coro::executor,
                             asio::steady_timer::time_point::max());
    co_await never.async_wait(asio::use_awaitable);
  };
  co_await with_lock(lock, 30s, std::move(body));
}

} // namespace

BOOST_AUTO_TEST_CASE_TEMPLATE(operations_under_way_complete_on_the_context_of_their_handlers,
                              Executor, executors) {
  outcomes ends;
  outlived_context<Executor> s;
  s.door.silence();
  start_all(s, ends);
  s.io->poll();
  s.io.reset();
  // Results that the client knows by itself, and waits that the release has ended.
  ends.expect({{"commit", errc::unknown_outcome},
               {"try_acquire", {}},
               {"multi_hold lost", asio::error::operation_aborted}});
  BOOST_TEST((s.held.state() == hold_state::lost));
}

// The operations are not even on the strand yet.
BOOST_AUTO_TEST_CASE_TEMPLATE(operations_not_yet_begun_complete_on_the_context_of_their_handlers,
                              Executor, executors) {
  outcomes ends;
  outlived_context<Executor> s;
  start_all(s, ends);
  s.io.reset();
  ends.expect();
}

BOOST_AUTO_TEST_CASE_TEMPLATE(operations_started_later_complete_on_the_context_of_their_handlers,
                              Executor, executors) {
  outcomes ends;
  outlived_context<Executor> s;
  s.io.reset();
  start_all(s, ends);
  s.zk->close(ends("close"));
  ends.expect();
}

BOOST_AUTO_TEST_CASE_TEMPLATE(close_completes_on_the_context_of_its_handler, Executor, executors) {
  for (const bool begun : {false, true}) {
    outcomes ends;
    outlived_context<Executor> s;
    s.door.silence();
    s.zk->close(ends("close"));
    if (begun) s.io->poll();
    s.io.reset();
    ends.expect();
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(grant_is_delivered_although_the_context_of_the_client_stands_still,
                              Executor, executors) {
  outlived_context<Executor> s;
  asio::io_context elsewhere{1};
  hold got;
  std::optional<error_code> ended;
  bool queued = false;
  const auto told = [&](std::size_t) { queued = true; };
  s.lock->acquire({.queued = told},
                  asio::bind_executor(elsewhere, [&](error_code error, hold granted) {
                    ended = error;
                    got = std::move(granted);
                  }));
  testing::raw_client witness(shared_server().direct_address());
  run_until(*s.io, [&] { return queued; });
  // The entry is granted while the delete is sent.
  s.held = hold();
  run_until(*s.io, [&] { return entries(witness, s.below("lock")) == 1; });
  s.io.reset();
  elsewhere.run_for(30s);
  BOOST_TEST(elsewhere.stopped());
  BOOST_TEST_REQUIRE(ended.has_value());
  BOOST_TEST(!ended->failed());
  BOOST_TEST((got.state() == hold_state::lost));
}

// A body runs on a context of its own, and is cancelled with the hold.
BOOST_AUTO_TEST_CASE_TEMPLATE(coroutines_on_another_context_end, Executor, executors) {
  outcomes ends;
  testing::raw_client witness(shared_server().direct_address());
  outlived_context<Executor> s;
  mutex free(*s.zk, s.below("free"));
  asio::co_spawn(ends.io, sleep_with(free), ends.failure("body"));
  asio::co_spawn(ends.io, sleep_with(free), ends.failure("waiting"));
  const auto both = [&] {
    ends.io.poll();
    return entries(witness, s.below("free")) == 2;
  };
  run_until(*s.io, both);
  run_until(*s.io, [&] { return ends.io.poll() == 0; });
  s.io.reset();
  ends.expect();
}

// Executors without a context to run on, and executors of the destroyed context itself.
BOOST_AUTO_TEST_CASE_TEMPLATE(handlers_that_cannot_run_are_destroyed, Executor, executors) {
  outlived_context<Executor> s;
  const auto token = std::make_shared<int>(0);
  const std::weak_ptr<int> alive = token;
  const auto never = [token](auto&&...) { BOOST_ERROR("nothing can call this"); };
  const auto start = [&] {
    s.held.wait_lost(never);
    s.held.wait_lost(asio::bind_executor(*s.io, never));
    s.lock->acquire(asio::bind_executor(asio::make_strand(*s.io), never));
  };
  start();
  s.io.reset();
  s.held.wait_lost(never);
  BOOST_TEST(alive.use_count() == 2);
}

BOOST_AUTO_TEST_SUITE_END()
