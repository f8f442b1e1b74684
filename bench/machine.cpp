// Prints how long the machine takes for a post of Asio where one handler is ready, and for an
// epoll_wait that finds nothing, in nanoseconds:
//
//   bench_machine

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <exception>
#include <iostream>
#include <system_error>

namespace {

namespace asio = boost::asio;
using clock = std::chrono::steady_clock;

constexpr int batches = 100;
constexpr int repeats = 10'000;

// Returns the time in the fastest batch: other processes slow down the rest.
template <class Batch>
long long nanoseconds_each(Batch batch) {
  auto best = clock::duration::max();
  for (int i = 0; i < batches; ++i) {
    const auto begin = clock::now();
    batch();
    best = std::min(best, clock::now() - begin);
  }
  return std::chrono::nanoseconds(best).count() / repeats;
}

struct posted {
  void operator()() {
    if (--left > 0) asio::post(io, *this);
  }

  asio::io_context& io;
  int left = repeats;
};

long long post() {
  asio::io_context io{1};
  // Without a timer or a socket, Asio does not ask the kernel for events.
  const asio::steady_timer timer(io);
  return nanoseconds_each([&] {
    asio::post(io, posted{io});
    io.run();
    io.restart();
  });
}

long long epoll() {
  const int descriptor = ::epoll_create1(EPOLL_CLOEXEC);
  if (descriptor < 0) throw std::system_error(errno, std::generic_category(), "epoll_create1");
  epoll_event event{};
  const auto time = nanoseconds_each([&] {
    for (int i = 0; i < repeats; ++i)
      ::epoll_wait(descriptor, &event, 1, 0);
  });
  ::close(descriptor);
  return time;
}

} // namespace

int main() try {
  std::cout << post() << '\n' << epoll() << std::endl;
} catch (const std::exception& e) {
  std::cerr << "bench_machine: " << e.what() << '\n';
  return 1;
}
