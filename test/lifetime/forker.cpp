// A process that forks while it uses a lock. Its arguments: the servers, the work of its child, and
// a path of its own. It prints the result.
#include <zklock/zklock.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

// The leak sanitizer calls this. A child has copies of what its parent's threads own, but not the
// threads that would free it.
extern "C" int __lsan_is_turned_off();
extern "C" int __lsan_is_turned_off() {
  return 1;
}

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

[[noreturn]] void give_up(const std::string& why) {
  std::cout << "failed: " << why << std::endl;
  std::_Exit(1);
}

class forker {
 public:
  forker(const std::string& servers, std::string place)
      : path(std::move(place)),
        zk(std::in_place, *io,
           zklock::client_options{
               .servers = servers, .session_timeout = 10s, .server_tick = 500ms}) {
    lock.emplace(*zk, path + "/held");
    lock->acquire([this](zklock::error_code error, zklock::hold got) {
      if (error) give_up(error.message());
      held = std::move(got);
      held.wait_lost([this](zklock::error_code, zklock::error_code) { lost = true; });
    });
    run_until([this] { return held.owns_lock(); });
    lock->acquire([this](zklock::error_code error, zklock::hold) { waited = error; });
  }

  template <class Condition>
  void run_until(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + 30s;
    io->restart();
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) give_up("waited in vain");
      io->run_one_for(50ms);
    }
  }

  /// Forks, runs this in the child, and continues until the child exits. Returns whether the child
  /// reports success.
  template <class Work>
  bool in_child(Work work, bool told = false) {
    using event = asio::execution_context;
    std::cout.flush();
    if (told) io->notify_fork(event::fork_prepare);
    const pid_t child = ::fork();
    if (child == 0) {
      std::cout.setstate(std::ios::badbit);
      work();
      // As programs end: work in the background completes.
      std::exit(0);
    }
    if (told) io->notify_fork(event::fork_parent);
    int status = 0;
    const auto deadline = std::chrono::steady_clock::now() + 30s;
    while (::waitpid(child, &status, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > deadline) {
        ::kill(child, SIGKILL);
        ::waitpid(child, &status, 0);
        give_up("the child hangs");
      }
      io->restart();
      io->run_one_for(10ms);
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  static void expect_in_child(bool condition, int code) {
    if (!condition) std::_Exit(code);
  }

  /// The session works as before: another lock can be acquired, and the first is still held.
  void expect_untouched() {
    const auto id = zk->session_id();
    bool acquired = false;
    zklock::mutex other(*zk, path + "/other");
    // As long as a lost connection needs to show.
    const auto until = std::chrono::steady_clock::now() + 4s;
    while (std::chrono::steady_clock::now() < until) {
      acquired = false;
      other.acquire([&](zklock::error_code error, zklock::hold) { acquired = !error; });
      run_until([&] { return acquired || lost; });
      asio::steady_timer pause(*io, 200ms);
      bool over = false;
      pause.async_wait([&](boost::system::error_code) { over = true; });
      run_until([&] { return over; });
    }
    if (lost || !held.owns_lock() || zk->session_id() != id) give_up("the parent's hold is lost");
    if (waited) give_up("the parent's waiter was refused");
  }

  const std::string path;
  // The objects that live longest come first.
  std::unique_ptr<asio::io_context> io = std::make_unique<asio::io_context>(1);
  std::optional<zklock::client> zk;
  std::optional<zklock::mutex> lock;
  zklock::hold held;
  bool lost = false;
  std::optional<zklock::error_code> waited;
};

void child_unwinds(forker& f) {
  const bool content = f.in_child([&] {
    f.held = {};
    f.zk.reset();
    f.io.reset();
  });
  if (!content) give_up("the child");
  f.expect_untouched();
}

void context_goes_first(forker& f) {
  if (!f.in_child([&] { f.io.reset(); })) give_up("the child");
  f.expect_untouched();
}

void child_releases(forker& f) {
  const bool content = f.in_child([&] {
    f.held.release([](zklock::error_code) {});
    f.lock->try_acquire([](zklock::error_code, zklock::hold) {});
    f.zk->set_servers("127.0.0.1:1");
    f.zk->close([](zklock::error_code) {});
  });
  if (!content) give_up("the child");
  f.expect_untouched();
}

void child_looks(forker& f) {
  const bool content = f.in_child([&] {
    forker::expect_in_child(!f.held.owns_lock(), 2);
    forker::expect_in_child(f.held.state() == zklock::hold_state::lost, 3);
    forker::expect_in_child(!f.zk->connected(), 4);
  });
  if (!content) give_up("the child");
  f.expect_untouched();
}

// As Asio requires it before a child uses a context.
void child_is_told(forker& f) {
  const bool content = f.in_child(
      [&] {
        f.io->notify_fork(asio::execution_context::fork_child);
        forker::expect_in_child(!f.held.owns_lock(), 2);
        forker::expect_in_child(f.held.state() == zklock::hold_state::lost, 3);
        f.run_until([&] { return f.lost && f.waited; });
        forker::expect_in_child(*f.waited == zklock::errc::closed, 4);
        f.zk->set_servers("127.0.0.1:1");
        std::optional<zklock::error_code> closed;
        f.zk->close([&](zklock::error_code error) { closed = error; });
        f.run_until([&] { return closed.has_value(); });
        forker::expect_in_child(*closed == zklock::errc::closed, 5);
        std::optional<zklock::error_code> refused;
        f.lock->acquire([&](zklock::error_code error, zklock::hold) { refused = error; });
        f.run_until([&] { return refused.has_value(); });
        forker::expect_in_child(*refused == zklock::errc::closed, 6);
        // A client of the child's own.
        f.held = {};
        zklock::client own(*f.io, {.servers = std::getenv("ZKLOCK_TEST_SERVERS"),
                                   .session_timeout = 10s,
                                   .server_tick = 500ms});
        zklock::mutex lock(own, f.path + "/child");
        bool acquired = false;
        lock.acquire([&](zklock::error_code error, zklock::hold) { acquired = !error; });
        f.run_until([&] { return acquired; });
        closed.reset();
        own.close([&](zklock::error_code error) { closed = error; });
        f.run_until([&] { return closed.has_value(); });
        forker::expect_in_child(!*closed, 7);
        f.zk.reset();
        f.io.reset();
      },
      true);
  if (!content) give_up("the child");
  f.expect_untouched();
}

// A hold of a cached entry, which no strand knows of, is destroyed before the context is told.
void child_drops_a_cached_hold(forker& f) {
  zklock::client keeper(*f.io, {.servers = std::getenv("ZKLOCK_TEST_SERVERS"),
                                .session_timeout = 10s,
                                .lock_cache = zklock::lock_cache_options(),
                                .server_tick = 500ms});
  zklock::mutex cached(keeper, f.path + "/cached");
  zklock::hold kept;
  const auto acquire = [&] {
    kept = {};
    cached.acquire([&](zklock::error_code, zklock::hold got) { kept = std::move(got); });
    f.run_until([&] { return kept.owns_lock(); });
  };
  const auto requests = [&] { return keeper.stats().requests; };
  std::uint64_t before = 0;
  do {
    before = requests();
    acquire();
  } while (requests() != before || kept.token().turn() < 3);
  std::optional<zklock::error_code> waited;
  cached.acquire([&](zklock::error_code error, const zklock::hold&) { waited = error; });
  const bool content = f.in_child(
      [&] {
        kept = {};
        f.io->notify_fork(asio::execution_context::fork_child);
        f.run_until([&] { return f.lost && waited; });
        forker::expect_in_child(*waited == zklock::errc::closed, 2);
      },
      true);
  if (!content) give_up("the child");
  if (!kept.owns_lock() || waited) give_up("the parent's hold is lost");
  f.expect_untouched();
}

// The fork comes between a write and the turn of the executor in which it is sent.
void child_runs_what_is_held_back(forker& f) {
  zklock::mutex other(*f.zk, f.path + "/other");
  bool acquired = false;
  const auto acquire = [&] {
    acquired = false;
    other.acquire([&](zklock::error_code error, const zklock::hold&) { acquired = !error; });
  };
  // Only writes of a lock that is in use are held back.
  for (int i = 0; i < 3; ++i) {
    acquire();
    f.run_until([&] { return acquired; });
  }
  // The client may check its session in any turn of the executor: then the next write counts.
  bool is_held_back = false;
  for (int tries = 0; !is_held_back; ++tries) {
    if (tries == 100) give_up("the write is not held back");
    bool asked = false;
    asio::post(*f.io, [&] {
      acquire();
      asked = true;
    });
    const auto before = f.zk->stats().requests;
    f.run_until([&] { return asked; });
    is_held_back = f.zk->stats().requests == before;
    if (!is_held_back) f.run_until([&] { return acquired; });
  }
  const bool content = f.in_child(
      [&] {
        f.io->notify_fork(asio::execution_context::fork_child);
        f.run_until([&] { return f.lost && f.waited; });
        f.io->restart();
        f.io->poll();
      },
      true);
  if (!content) give_up("the child");
  f.run_until([&] { return acquired; });
  f.expect_untouched();
}

// The thread that ends the session has ended; where the servers are silent it still runs. Its
// record in the list of threads is in the child, too.
void child_exits(forker& f, bool closed) {
  bool over = false;
  f.zk->close([&](zklock::error_code) { over = true; });
  if (closed) f.run_until([&] { return over; });
  f.io->restart();
  f.io->poll();
  if (!f.in_child([] {})) give_up("the child");
}

} // namespace

int main(int, char** arguments) {
  const std::string_view what = arguments[2];
  ::setenv("ZKLOCK_TEST_SERVERS", arguments[1], 1);
  // Never destroyed: the parent's own end is not under test.
  forker& f = *new forker(arguments[1], arguments[3]);
  std::cout << "holding" << std::endl;
  std::string ignored;
  std::getline(std::cin, ignored);
  if (what == "child_unwinds") child_unwinds(f);
  if (what == "context_goes_first") context_goes_first(f);
  if (what == "child_releases") child_releases(f);
  if (what == "child_looks") child_looks(f);
  if (what == "child_drops_a_cached_hold") child_drops_a_cached_hold(f);
  if (what == "child_is_told") child_is_told(f);
  if (what == "child_runs_what_is_held_back") child_runs_what_is_held_back(f);
  if (what == "child_exits_after_close") child_exits(f, true);
  if (what == "child_exits_while_closing") child_exits(f, false);
  std::cout << "good" << std::endl;
  std::_Exit(0);
}
