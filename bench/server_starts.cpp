// Measures how long a test waits for its server: until the server has started, and until a client
// is connected to it.
//
//   bench_server_starts [ROUNDS]
//
// Each round starts a server in memory and a real server. Prints the medians in ms, and their
// ratio.

#include <zklock/client.hpp>
#include <zklock/testing/memory_server.hpp>
#include <zklock/testing/server.hpp>

#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

using namespace std::chrono_literals;

namespace {

class start_times {
 public:
  template <class Server>
  void add() {
    const auto begun = clock_type::now();
    const Server server;
    started_.push_back(since(begun));
    boost::asio::io_context io{1};
    const zklock::client client(io, {.servers = server.address(),
                                     .session_timeout = 6s,
                                     .log = [](auto, auto) {},
                                     .server_tick = 500ms});
    while (!client.connected())
      io.run_one();
    connected_.push_back(since(begun));
  }

  double started() const { return median(started_); }
  double connected() const { return median(connected_); }

 private:
  using clock_type = std::chrono::steady_clock;

  static double since(clock_type::time_point begun) {
    return std::chrono::duration<double, std::milli>(clock_type::now() - begun).count();
  }

  static double median(std::vector<double> all) {
    std::ranges::sort(all);
    return all.at(all.size() / 2);
  }

  std::vector<double> started_;
  std::vector<double> connected_;
};

void print(const char* name, double started, double connected) {
  std::cout << std::left << std::setw(15) << name << std::right << std::setw(10) << started
            << std::setw(12) << connected << '\n';
}

} // namespace

int main(int argc, char** argv) try {
  const std::size_t rounds = argc > 1 ? std::stoul(argv[1]) : 11;
  start_times in_memory;
  start_times real;
  for (std::size_t i = 0; i < rounds; ++i) {
    in_memory.add<zklock::testing::memory_server>();
    real.add<zklock::testing::server>();
  }
  std::cout << "in ms, of " << rounds << "     started   connected\n"
            << std::fixed << std::setprecision(2);
  print("memory_server", in_memory.started(), in_memory.connected());
  print("server", real.started(), real.connected());
  print("ratio", real.started() / in_memory.started(), real.connected() / in_memory.connected());
} catch (const std::exception& e) {
  std::cerr << "bench_server_starts: " << e.what() << '\n';
  return 1;
}
