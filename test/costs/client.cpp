// Repeats a cycle of a free lock, whose release is awaited, by a client that knows other locks, so
// that the instructions of a cycle can be counted: costs_client SCENARIO OTHERS CYCLES.
#include <zklock/testing/memory_server.hpp>
#include <zklock/zklock.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <map>
#include <string>
#include <vector>

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

// Under valgrind on a loaded machine, cycles take their time: nothing that a client does by the
// clock, such as the check of its session, must happen among them.
constexpr auto long_time = 10h;

zklock::client_options options_for(const std::string& servers, bool caches) {
  zklock::client_options options{.servers = servers, .session_timeout = long_time};
  options.max_path_bytes = std::size_t{900} * 1024;
  if (caches) options.lock_cache = {.idle_limit = long_time};
  return options;
}

class program {
 public:
  explicit program(bool caches) : client_(io_, options_for(server_.address(), caches)) {}

  /// Acquires other locks at once. Releases them if they are not kept, and waits until they are
  /// released.
  void acquire_others(int count, bool kept) {
    int left = count;
    const auto done = [&](zklock::error_code failed) {
      if (failed) throw boost::system::system_error(failed);
      if (--left == 0) io_.stop();
    };
    for (int i = 0; i < count; ++i)
      zklock::mutex(client_, "/others/" + std::to_string(i))
          .acquire(60s, [&](zklock::error_code failed, zklock::hold held) {
            if (failed || kept) done(failed);
            if (kept)
              held_.push_back(std::move(held));
            else
              held.release(done);
          });
    if (count != 0) run();
  }

  void cycle(int count) {
    asio::co_spawn(
        io_,
        [&]() -> asio::awaitable<void> {
          for (int i = 0; i < count; ++i) {
            zklock::hold held = co_await lock_.acquire({.timeout = 60s, .cache = false});
            co_await held.release();
          }
        },
        [&](std::exception_ptr failed) {
          if (failed) std::rethrow_exception(failed);
          io_.stop();
        });
    run();
  }

 private:
  void run() {
    io_.restart();
    io_.run();
  }

  zklock::testing::memory_server server_{
      {.max_session_timeout = long_time, .container_check_interval = long_time}};
  asio::io_context io_{1};
  zklock::client client_;
  zklock::mutex lock_{client_, "/lock"};
  std::vector<zklock::hold> held_;
};

struct scenario {
  bool caches;
  bool keeps;
};

// No lock is used often enough to be cached: cached locks are evicted by the clock.
const std::map<std::string, scenario> scenarios{
    {"remembered_with_cache", {.caches = true, .keeps = false}},
    {"held", {.caches = false, .keeps = true}},
    {"remembered", {.caches = false, .keeps = false}},
};

} // namespace

// Only the instructions of this function are counted.
extern "C" [[gnu::noinline]] void measured_event(program* of, int cycles) {
  of->cycle(cycles);
}

int main(int count, char** arguments) {
  if (count != 4) {
    for (const auto& [name, _] : scenarios)
      std::cout << name << '\n';
    return 0;
  }
  const scenario& chosen = scenarios.at(arguments[1]);
  program one(chosen.caches);
  // The first uses of a path take further requests.
  one.cycle(5);
  one.acquire_others(std::atoi(arguments[2]), chosen.keeps);
  measured_event(&one, std::atoi(arguments[3]));
}
