// Uses zklock at sizes that users fear, and prints what each of them costs.
//
//   bench_sizes waiters|locks|sessions|children COUNT [SERVERS]
//
//   waiters   one client: so many acquisitions wait for a lock, and then each gets it in its turn
//   locks     one client: so many locks are acquired at once, and released
//   sessions  so many clients connect, each acquires a lock, and all are closed
//   children  a lock is used whose directory has so many nodes of other programs
//
// Starts a server if none is given. Prints a line of JSON: the seconds of each step, and the bytes
// of the heap that it adds. Started by bench/sizes.
#include <zklock/testing/server.hpp>
#include <zklock/zklock.hpp>

#include "support/heap_use.hpp"
#include "support/raw_client.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

namespace asio = boost::asio;
namespace testing = zklock::testing;
using namespace std::chrono_literals;
using zklock::error_code;
using zklock::hold;

/// The figures of a run, printed as JSON in their order.
class figures {
 public:
  void add(std::string_view name, double value) {
    text_ += (text_.empty() ? "{\"" : ", \"") + std::string(name) + "\": " + std::to_string(value);
  }

  /// Measures a step: its seconds, and the bytes of the heap that it adds.
  void step(const std::string& name, const std::function<void()>& work) {
    const auto begun = std::chrono::steady_clock::now();
    const auto before = zklock::test::heap_in_use();
    work();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    add(name + "_seconds", took.count());
    add(name + "_bytes",
        static_cast<double>(zklock::test::heap_in_use()) - static_cast<double>(before));
  }

  std::string text() const { return text_ + "}"; }

 private:
  std::string text_;
};

void check(error_code error) {
  if (error) throw boost::system::system_error(error);
}

zklock::client_options options_for(const std::string& servers) {
  zklock::client_options options;
  options.servers = servers;
  options.session_timeout = 60s;
  options.max_path_bytes = 921'600;
  options.log = [](zklock::log_level, std::string_view) {};
  return options;
}

// Runs the context until a condition holds.
template <class Condition>
void run_until(asio::io_context& io, Condition condition) {
  io.restart();
  while (!condition())
    if (io.run_one_for(120s) == 0) throw std::runtime_error("nothing happens any more");
}

void use_waiters(std::size_t count, const std::string& servers, figures& told) {
  asio::io_context io{1};
  zklock::client zk(io, options_for(servers));
  const zklock::mutex lock(zk, "/sizes/waiters");
  hold first;
  lock.acquire([&](error_code error, hold got) {
    check(error);
    first = std::move(got);
  });
  run_until(io, [&] { return first.owns_lock(); });

  std::size_t served = 0;
  told.step("wait", [&] {
    for (std::size_t i = 0; i < count; ++i)
      lock.acquire([&served](error_code error, hold) {
        check(error);
        ++served;
      });
    io.restart();
    io.poll();
  });
  told.step("serve", [&] {
    first = hold();
    run_until(io, [&] { return served == count; });
  });
}

void use_locks(std::size_t count, const std::string& servers, figures& told) {
  asio::io_context io{1};
  zklock::client zk(io, options_for(servers));
  for (const std::string name : {"first_use", "second_use"}) {
    std::size_t used = 0;
    told.step(name, [&] {
      for (std::size_t i = 0; i < count; ++i)
        zklock::mutex(zk, "/sizes/locks/" + std::to_string(i))
            .acquire([&used](error_code error, hold) {
              check(error);
              ++used;
            });
      run_until(io, [&] { return used == count; });
    });
  }
}

void use_sessions(std::size_t count, const std::string& servers, figures& told) {
  asio::io_context io{1};
  std::vector<zklock::client> clients;
  std::vector<hold> holds(count);
  clients.reserve(count);
  std::size_t held = 0;
  told.step("hold", [&] {
    for (std::size_t i = 0; i < count; ++i) {
      clients.emplace_back(io, options_for(servers));
      zklock::mutex(clients.back(),
                    "/sizes/sessions/" + std::to_string(::getpid()) + "-" + std::to_string(i))
          .acquire([&, i](error_code error, hold got) {
            check(error);
            holds[i] = std::move(got);
            ++held;
          });
    }
    run_until(io, [&] { return held == count; });
  });
  std::size_t closed = 0;
  told.step("close", [&] {
    for (auto& each : clients)
      each.close([&closed](error_code error) {
        check(error);
        ++closed;
      });
    run_until(io, [&] { return closed == count; });
  });
}

// The nodes of an earlier run with the same servers stay.
void use_children(std::size_t count, const std::string& servers, figures& told) {
  const auto path = "/sizes/children-" + std::to_string(count);
  testing::raw_client other(servers);
  other.create_all(path);
  for (std::size_t i = other.children(path).size(); i < count; ++i)
    other.create(path + "/note-" + std::to_string(i));
  asio::io_context io{1};
  zklock::client zk(io, options_for(servers));
  const zklock::mutex lock(zk, path);
  for (const std::string name : {"first_use", "second_use"}) {
    bool released = false;
    told.step(name, [&] {
      lock.acquire([&](error_code error, hold got) {
        check(error);
        auto kept = std::make_shared<hold>(std::move(got));
        kept->release([&released, kept](error_code result) {
          check(result);
          released = true;
        });
      });
      run_until(io, [&] { return released; });
    });
  }
}

} // namespace

int main(int count, char** arguments) try {
  using use = void (*)(std::size_t, const std::string&, figures&);
  const std::map<std::string_view, use> uses{{"waiters", use_waiters},
                                             {"locks", use_locks},
                                             {"sessions", use_sessions},
                                             {"children", use_children}};
  const auto found = count < 3 ? uses.end() : uses.find(arguments[1]);
  const std::size_t size = count < 3 ? 0 : std::strtoul(arguments[2], nullptr, 10);
  if (found == uses.end() || size == 0) {
    std::fputs("usage: bench_sizes waiters|locks|sessions|children COUNT [SERVERS]\n", stderr);
    return EXIT_FAILURE;
  }
  std::optional<testing::server> own;
  if (count == 3) own.emplace();
  figures told;
  found->second(size, own ? own->direct_address() : arguments[3], told);
  std::puts(told.text().c_str());
} catch (const std::exception& failure) {
  std::fprintf(stderr, "bench_sizes: %s\n", failure.what());
  return EXIT_FAILURE;
}
