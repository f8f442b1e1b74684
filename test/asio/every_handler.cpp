// Every handler is called exactly once, in whichever order the client, a lock, a hold or the
// execution context of the client end, also while an exception unwinds.
#include <zklock/election.hpp>

#include "support/world.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace zklock;
using namespace zklock::test;

namespace {

// How often each handler is called.
struct calls {
  auto operator()(const std::string& name) {
    BOOST_TEST_REQUIRE(all.emplace(name, 0).second);
    return asio::bind_executor(on, [this, name](const auto&...) { ++all.at(name); });
  }

  void expect_one_each() const {
    for (const auto& [name, count] : all)
      BOOST_TEST_CONTEXT(name) BOOST_TEST(count == 1);
  }

  asio::any_io_executor on;
  std::map<std::string, int> all{};
};

// A client with its locks and holds. Each can end at any time.
struct subject {
  explicit subject(asio::io_context& io) {
    zk.emplace(io, options_for(shared_server().address()));
    lock.emplace(*zk, path + "/lock");
    free.emplace(*zk, path + "/free");
    shared.emplace(*zk, path + "/shared");
    several.emplace(multi_lock{{mutex(*zk, path + "/a"), mutex(*zk, path + "/b")}});
  }

  void acquire_all(asio::io_context& io) {
    lock->acquire([this](error_code, hold got) { held = std::move(got); });
    shared->acquire([this](error_code, hold got) { writes = std::move(got); });
    several->acquire([this](error_code, multi_hold got) { many = std::move(got); });
    run_until(io, [&] { return held.owns_lock() && writes.owns_lock() && many.owns_lock(); });
  }

  asio::awaitable<void> lead() { co_await wait_forever(); }

  void start_all(calls& called, bool with_close) {
    lock->acquire(called("acquire"));
    lock->acquire(1h, called("acquire with a timeout"));
    lock->try_acquire(called("try_acquire"));
    several->acquire(called("multi_lock"));
    acquire_any({any_lock(*lock), any_lock(*shared)}, called("acquire_any"));
    lock->participants(called("participants"));
    lock->holders(called("holders"));
    lock->count_waiting(called("count_waiting"));
    lock->wait_holder_changed(std::nullopt, called("wait_holder_changed"));
    free->break_lock(called("break_lock"));
    participant holder;
    holder.node = held.node();
    lock->request_release(holder, called("request_release"));
    zk->find_locks("/", called("find_locks"));
    zk->held_locks(called("held_locks"));
    zk->awaited_locks(called("awaited_locks"));
    zk->evict_cached(called("evict_cached"));
    held.wait_lost(called("wait_lost"));
    held.wait_release_requested(called("wait_release_requested"));
    held.commit(transaction().create(path + "/node"), called("commit"));
    held.set_identity("leader", called("set_identity"));
    writes.downgrade(called("downgrade"));
    many.wait_lost(called("multi_hold::wait_lost"));
    many.release(called("multi_hold::release"));
    writes.release(called("release"));
    auto body = [] { return wait_forever(); };
    with_lock(*free, acquire_options(), body, called("with_lock"));
    election(*zk, path + "/leader").run(body, called("leader"));
    if (with_close) zk->close(called("close"));
  }

  const std::string path = fresh_path();
  std::optional<client> zk;
  std::optional<mutex> lock;
  std::optional<mutex> free;
  std::optional<shared_mutex> shared;
  std::optional<multi_lock> several;
  hold held;
  hold writes;
  multi_hold many;
};

void drop_locks(subject& s) {
  s.lock.reset();
  s.free.reset();
  s.shared.reset();
  s.several.reset();
}

void drop_holds(subject& s) {
  s.held = {};
  s.writes = {};
  s.many = {};
}

} // namespace

BOOST_AUTO_TEST_SUITE(every_handler, *boost::unit_test::timeout(120))

// In all orders, and with all amounts of work done in between.
BOOST_AUTO_TEST_CASE(is_called_once_when_the_client_and_its_objects_are_destroyed) {
  for (int order = 0; order < 6; ++order)
    for (const int polls : {0, 1, 3, 1000})
      for (const bool with_close : {false, true}) {
        BOOST_TEST_INFO_SCOPE("order " << order << ", " << polls << " handlers"
                                       << (with_close ? ", closed" : ""));
        asio::io_context io{1};
        subject s(io);
        if (polls != 0) s.acquire_all(io);
        calls called{.on = io.get_executor()};
        s.start_all(called, with_close);
        io.restart();
        for (int i = 0; i < polls; ++i)
          io.poll_one();
        const int first = order / 2;
        const auto end = [&](int which) {
          if (which == 0) s.zk.reset();
          if (which == 1) drop_locks(s);
          if (which == 2) drop_holds(s);
          io.poll_one();
        };
        end(first);
        end((first + 1 + order % 2) % 3);
        end((first + 2 - order % 2) % 3);
        io.restart();
        io.run_for(10s);
        BOOST_TEST(io.stopped());
        called.expect_one_each();
      }
}

BOOST_AUTO_TEST_CASE(is_called_once_when_the_context_of_the_client_is_destroyed) {
  for (const bool unwinds : {false, true})
    for (const bool inside_catch : {false, true})
      for (const int polls : {-1, 0, 1, 3, 1000})
        for (const bool with_close : {false, true}) {
          BOOST_TEST_INFO_SCOPE((unwinds ? "unwinding, " : "")
                                << polls << " handlers" << (with_close ? ", closed" : ""));
          asio::io_context mine{1};
          calls called{.on = mine.get_executor()};
          std::optional<subject> s;
          const auto use = [&] {
            asio::io_context io{1};
            s.emplace(io);
            if (polls >= 0) s->acquire_all(io);
            s->start_all(called, with_close);
            io.restart();
            for (int i = 0; i < polls; ++i)
              io.poll_one();
            if (unwinds) throw 1;
          };
          try {
            if (inside_catch) throw 2;
            use();
          } catch (int thrown) {
            if (thrown == 2) {
              try {
                use();
              } catch (int) {}
            }
          }
          mine.run_for(10s);
          BOOST_TEST(mine.stopped());
          called.expect_one_each();
        }
}

// The last object that refers to the client is destroyed on another thread while the client closes.
BOOST_AUTO_TEST_CASE(of_a_close_is_called_once_when_the_last_lock_goes_on_another_thread) {
  for (int round = 0; round < 30; ++round) {
    asio::io_context io{1};
    std::optional<client> zk(std::in_place, io, options_for(shared_server().address()));
    std::optional<mutex> lock(std::in_place, *zk, fresh_path());
    hold held;
    lock->acquire([&](error_code, hold got) { held = std::move(got); });
    run_until(io, [&] { return held.owns_lock(); });
    held = {};
    std::atomic<int> closed{0};
    auto work = asio::make_work_guard(io);
    std::thread runner([&] {
      io.restart();
      io.run_for(10s);
    });
    zk->close([&](error_code) {
      ++closed;
      work.reset();
    });
    zk.reset();
    for (int i = 0; i < round % 5; ++i)
      std::this_thread::yield();
    lock.reset();
    runner.join();
    BOOST_TEST(closed == 1);
  }
}

// Holds are released, and wait for a release, while the context is destroyed on another thread.
BOOST_AUTO_TEST_CASE(is_called_once_when_the_context_is_destroyed_on_another_thread) {
  asio::io_context mine{1};
  for (int round = 0; round < 100; ++round) {
    std::optional<asio::io_context> io(std::in_place, 1);
    auto options = options_for(shared_server().address());
    if (round % 2 == 0) options.lock_cache.emplace();
    client zk(*io, options);
    mutex lock(zk, fresh_path());
    multi_lock all(lock, mutex(zk, fresh_path()));
    hold held;
    // The second hold in a row is granted from a cached entry.
    for (int i = 0; i < 3; ++i) {
      held = {};
      lock.acquire([&](error_code, hold got) { held = std::move(got); });
      run_until(*io, [&] { return held.owns_lock(); });
    }
    calls called{.on = mine.get_executor()};
    std::atomic<bool> began{false};
    std::thread user([&] {
      auto waiting = called("acquire");
      auto waiting_for_all = called("multi_lock");
      auto waiting_for_any = called("acquire_any");
      auto lost = called("wait_lost");
      auto released = called("release");
      began = true;
      lock.acquire(std::move(waiting));
      held.wait_lost(std::move(lost));
      all.acquire(std::move(waiting_for_all));
      acquire_any({any_lock(lock)}, std::move(waiting_for_any));
      held.release(std::move(released));
      lock.acquire([](error_code, const hold&) {});
    });
    while (!began)
      std::this_thread::yield();
    for (int i = 0; i < round / 10; ++i)
      std::this_thread::yield();
    io.reset();
    user.join();
    mine.restart();
    mine.run_for(10s);
    BOOST_TEST(mine.stopped());
    called.expect_one_each();
  }
}

// A part that waits at a client of another context does not keep the whole from its end.
BOOST_AUTO_TEST_CASE(of_several_locks_is_called_once_when_the_context_of_one_is_destroyed) {
  for (const bool first : {true, false})
    for (const bool at_home : {false, true}) {
      BOOST_TEST_INFO_SCOPE((first ? "first" : "second")
                            << (at_home ? ", handlers of the first" : ""));
      asio::io_context mine{1};
      std::optional<asio::io_context> own[] = {std::make_optional<asio::io_context>(1),
                                               std::make_optional<asio::io_context>(1)};
      const auto polled = [&] {
        for (auto* const each : {&*own[0], &*own[1], &mine}) {
          each->restart();
          each->poll();
        }
      };
      const auto until = [&](const auto& over) {
        const auto end = std::chrono::steady_clock::now() + 10s;
        while (!over() && std::chrono::steady_clock::now() < end) {
          polled();
          std::this_thread::yield();
        }
        BOOST_TEST_REQUIRE(over());
      };
      client a(*own[0], options_for(shared_server().address()));
      client b(*own[1], options_for(shared_server().address()));
      client other(mine, options_for(shared_server().address()));
      testing::raw_client witness(shared_server().direct_address());
      const auto path = fresh_path();
      // `free` is granted at once. `taken` waits for two locks that another client holds.
      mutex taken[] = {mutex(other, path + "/1"), mutex(other, path + "/2")};
      hold in_the_way[2];
      for (int i : {0, 1})
        taken[i].acquire([&, i](error_code, hold got) { in_the_way[i] = std::move(got); });
      multi_hold held;
      multi_lock free(mutex(a, path + "/3"), mutex(b, path + "/4"));
      free.acquire([&](error_code, multi_hold got) { held = std::move(got); });
      until([&] { return held.owns_lock() && in_the_way[1].owns_lock(); });

      calls called{.on = mine.get_executor()};
      calls dropped{.on = own[0]->get_executor()};
      auto& mine_or_dropped = at_home ? dropped : called;
      multi_lock(std::vector<any_lock>{mutex(a, path + "/0"), mutex(b, path + "/2")})
          .acquire(mine_or_dropped("multi_lock"));
      acquire_any({mutex(a, path + "/1"), mutex(b, path + "/2")}, mine_or_dropped("acquire_any"));
      held.wait_lost(mine_or_dropped("multi_hold::wait_lost"));
      until([&] { return entries(witness, path + "/2") == 3; });
      own[first ? 0 : 1].reset();
      own[first ? 0 : 1].emplace(1);
      // Operations whose first client is gone have left the line of the second client.
      if (first) until([&] { return entries(witness, path + "/2") == 1; });
      held.release(mine_or_dropped("multi_hold::release"));
      in_the_way[0] = {};
      in_the_way[1] = {};
      const auto& all = at_home ? dropped : called;
      const auto is_over = [&] {
        return std::all_of(all.all.begin(), all.all.end(),
                           [](const auto& each) { return each.second == 1; });
      };
      // The context of the handlers is gone, and the handlers with it.
      if (first && at_home)
        until([&] { return entries(witness, path + "/2") == 0; });
      else
        until(is_over);
      held = {};
    }
}

BOOST_AUTO_TEST_SUITE_END()
