// The worker without locks: the lowest cost of ZooKeeper and its C client.

#include "bare_session.hpp"
#include "bare_work.hpp"
#include "measurement.hpp"
#include "settings.hpp"

#include <cstddef>
#include <deque>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

template <class Run>
void measure(const bench::settings& chosen, bench::measurement& window, Run run_until) {
  run_until(bench::clock::now() + chosen.warmup);
  window.open();
  run_until(bench::clock::now() + chosen.window);
  window.close();
}

// Creates the parents of the locks.
void make_parents(bench::bare_session& session, const std::string& path) {
  for (auto slash = path.find('/', 1); slash != path.npos; slash = path.find('/', slash + 1))
    session.make(path.substr(0, slash));
  session.make(path);
}

void hand_over(bench::bare_worker& worker, bench::measurement& window) {
  bench::bare_handover handover(worker);
  bench::wait_for_go();
  handover.start();
  measure(worker.chosen, window, [&](auto end) { handover.run_until(end); });
}

// Holds no lock, but makes the znode that a lock needs at least.
void hold(bench::bare_session& session, const bench::settings& chosen) {
  session.make(bench::lock_of(chosen, 0), ZOO_EPHEMERAL);
  std::cout << "ready" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {}
}

void run(const bench::settings& chosen) {
  if (chosen.mode == bench::work::try_busy || bench::has_others(chosen))
    throw std::invalid_argument("there are no locks");
  bench::measurement window(chosen);
  std::vector<bench::measurement::samples> seen(1, bench::measurement::samples(window));
  // Declared before the session: the session's end completes the requests of the loops.
  std::deque<bench::bare_loop> loops;
  bench::bare_session session(chosen.servers);
  make_parents(session, chosen.path);
  if (chosen.mode == bench::work::hold) return hold(session, chosen);
  bench::bare_worker worker{chosen, session, seen.front()};

  if (chosen.mode == bench::work::handover) {
    hand_over(worker, window);
  } else {
    for (std::size_t i = 0; i < chosen.waiters; ++i)
      loops.emplace_back(worker, i);
    bench::wait_for_go();
    for (auto& loop : loops)
      loop.start();
    measure(chosen, window, [&](auto end) { session.run_until(end); });
  }
  window.report(seen);
}

} // namespace

int main(int argc, char** argv) try {
  run(bench::read_settings(argc, argv));
} catch (const std::exception& e) {
  std::cerr << "bench_bare: " << e.what() << '\n';
  return 1;
}
