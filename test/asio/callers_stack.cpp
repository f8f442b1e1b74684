// No function of the program runs inside a call of the program. A program may lock a mutex around
// its calls that its functions lock, too.
#include "support/world.hpp"

#include <boost/asio/post.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace zklock;
using namespace zklock::test;

namespace {

thread_local bool inside_a_call = false;

// Notes the functions of the program in the order in which they are called.
struct notes {
  void operator()(std::string what) {
    BOOST_TEST(!inside_a_call, what << " is called inside a call of the program");
    all.push_back(std::move(what));
  }

  bool contains(const std::string& what) const {
    return std::find(all.begin(), all.end(), what) != all.end();
  }

  std::vector<std::string> all;
};

// `acquire_started` belongs to the initiating function.
struct noting_observer : observer {
  explicit noting_observer(notes& to) : note(to) {}

  void state_changed(connection_state) override { note("state_changed"); }
  void granted(const std::shared_ptr<void>&, fencing_token) override { note("granted"); }
  void reentered(const std::shared_ptr<void>&) override { note("reentered"); }
  void not_granted(const std::shared_ptr<void>&, error_code) override { note("not_granted"); }
  void lost(const std::shared_ptr<void>&, error_code) override { note("lost"); }
  void released(const std::shared_ptr<void>&) override { note("released"); }

  notes& note;
};

struct watched_program {
  watched_program() {
    auto options = options_for(shared_server().address());
    options.max_path_bytes = 4096;
    options.log = [this](log_level, std::string_view) { note("log"); };
    options.label = [this](std::string_view) {
      note("label");
      return std::string("a label");
    };
    options.observer = std::make_shared<noting_observer>(note);
    zk.emplace(io, std::move(options));
    lock.emplace(*zk, path);
  }

  // Calls a function where the client's strand could run at once: in a handler of its context.
  template <class Function>
  void call(Function function) {
    bool called = false;
    asio::post(io, [&] {
      inside_a_call = true;
      function();
      inside_a_call = false;
      called = true;
    });
    run_until(io, [&] { return called; });
  }

  auto into(hold& to) {
    return [&](error_code, hold got) {
      BOOST_TEST(!inside_a_call);
      note("handler");
      to = std::move(got);
    };
  }

  void acquire(hold& to, acquire_options options = {}) {
    call([&] { lock->acquire(std::move(options), into(to)); });
    run_until(io, [&] { return to.owns_lock(); });
  }

  void expect(const std::vector<std::string>& expected) {
    run_until(io, [&] { return note.all.size() >= expected.size(); });
    BOOST_TEST(note.all == expected, boost::test_tools::per_element());
    note.all.clear();
  }

  const std::string path = fresh_path();
  notes note;
  asio::io_context io{1};
  std::optional<client> zk;
  std::optional<mutex> lock;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(callers_stack, watched_program, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(is_free_of_functions_when_a_hold_is_destroyed) {
  hold held;
  acquire(held);
  note.all.clear();
  call([&] { held = {}; });
  expect({"released"});
}

BOOST_AUTO_TEST_CASE(is_free_of_functions_when_a_hold_is_released) {
  hold held;
  acquire(held);
  note.all.clear();
  call([&] {
    held.release([&](error_code) {
      BOOST_TEST(!inside_a_call);
      note("handler");
    });
  });
  expect({"released", "handler"});
}

// The next waiter holds the lock at once.
BOOST_AUTO_TEST_CASE(is_free_of_functions_when_a_release_grants_the_next) {
  hold held, next;
  acquire(held);
  call([&] { lock->acquire(into(next)); });
  run_until(io, [&] { return zk->stats().total.waiters == 1; });
  note.all.clear();
  call([&] { held = {}; });
  run_until(io, [&] { return next.owns_lock(); });
  expect({"released", "granted", "handler"});
}

BOOST_AUTO_TEST_CASE(is_free_of_functions_when_an_acquire_fails) {
  hold held, none;
  acquire(held);
  note.all.clear();
  call([&] { lock->acquire(std::chrono::seconds(-1), into(none)); });
  expect({"not_granted", "handler"});
  call([&] { lock->try_acquire(into(none)); });
  expect({"not_granted", "handler"});
}

BOOST_AUTO_TEST_CASE(is_free_of_functions_when_a_lock_is_new) {
  hold held;
  acquire(held);
  BOOST_TEST(note.contains("label"));
  note.all.clear();
  mutex other(*zk, path + "-other");
  hold more;
  call([&] { other.acquire(into(more)); });
  expect({"label", "granted", "handler"});
}

BOOST_AUTO_TEST_CASE(is_free_of_functions_when_an_owner_acquires_again) {
  const owner me;
  hold held, again;
  acquire(held, {.owner = me});
  note.all.clear();
  call([&] { lock->acquire({.owner = me}, into(again)); });
  expect({"reentered", "handler"});
}

BOOST_AUTO_TEST_CASE(is_free_of_functions_when_a_waiter_is_told_its_place) {
  hold held, next;
  acquire(held);
  note.all.clear();
  const auto told = [&](std::size_t) { note("queued"); };
  call([&] { lock->acquire({.queued = told}, into(next)); });
  run_until(io, [&] { return note.contains("queued"); });
}

BOOST_AUTO_TEST_CASE(is_free_of_functions_when_an_acquire_asks_for_too_much) {
  semaphore permits(*zk, path + "/permits", 1000);
  hold held, none;
  acquire(held);
  note.all.clear();
  call([&] { permits.acquire(1000, into(none)); });
  run_until(io, [&] { return note.contains("handler"); });
  BOOST_TEST(note.contains("log"));
}

BOOST_AUTO_TEST_CASE(is_free_of_functions_when_a_lock_is_broken_and_the_client_closed) {
  hold held;
  acquire(held);
  note.all.clear();
  call([&] { lock->break_lock([](error_code, std::size_t) {}); });
  run_until(io, [&] { return note.contains("lost"); });
  BOOST_TEST(note.contains("log"));
  bool closed = false;
  acquire(held);
  note.all.clear();
  call([&] { zk->close([&](error_code) { closed = true; }); });
  run_until(io, [&] { return closed; });
  BOOST_TEST(note.contains("lost"));
  BOOST_TEST(note.contains("state_changed"));
}

BOOST_AUTO_TEST_SUITE_END()
