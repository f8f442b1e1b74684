#include "chaos/client/held.hpp"
#include "chaos/client/noted_body.hpp"
#include "chaos/client/waiters.hpp"
#include "chaos/locks.hpp"

#include <algorithm>
#include <stdexcept>

namespace chaos {
namespace {

// Takes longer now and then than the session of a process lives that is cut off: only a
// cancellation ends it in time.
asio::awaitable<void> work(scene& here) {
  for (int left = here.chance(30) ? here.random(1'000, 12'000) : here.random(1, 30);
       left > 0 && !here.stopping; left -= 100) {
    const milliseconds time(std::min(left, 100));
    co_await pause(here, time);
  }
}

// Acquires the lock as the owner that holds it.
asio::awaitable<void> acquire_again(zklock::mutex& guard, const zklock::owner& by,
                                    const zklock::hold& held) {
  zklock::acquire_options options;
  options.owner = by;
  const auto again = co_await guard.acquire(std::move(options), asio::use_awaitable);
  // A hold that is lost is not shared: the owner gets another hold.
  if (held.owns_lock() && again.token() != held.token())
    throw std::logic_error("an owner gets another hold of " + std::string(guard.path()));
}

asio::awaitable<void> run_body(scene& here, zklock::mutex& guard) {
  auto options = random_options(here);
  const auto hold_limit = options.hold_limit;
  const zklock::owner by;
  options.owner = by;
  const auto operation = note_asked(here, guard.path(), 'x', 1, options);
  bool begun = false;
  auto body = [&](zklock::hold& held) -> asio::awaitable<void> {
    begun = true;
    const noted_body noted(here, held, operation, hold_limit);
    // Where the loop of the client is blocked, this acquire cannot end in time.
    if (!here.elsewhere && here.chance(30)) co_await acquire_again(guard, by, held);
    co_await work(here);
  };
  try {
    co_await zklock::with_lock(guard, std::move(options), body);
  } catch (const boost::system::system_error& error) {
    if (!begun) note_failed(here, operation, error.code());
  }
}

// The election is run again after a term that was lost.
class next_candidacy {
 public:
  next_candidacy(scene& here, std::uint64_t& operation) : here_(here), operation_(operation) {}
  ~next_candidacy() { operation_ = note_asked(here_, leader_path, 'x', 1, {}); }

  next_candidacy(const next_candidacy&) = delete;
  next_candidacy& operator=(const next_candidacy&) = delete;

 private:
  scene& here_;
  std::uint64_t& operation_;
};

} // namespace

asio::awaitable<void> run_bodies(scene& here, std::size_t lock) {
  zklock::mutex guard(here.zk, body_path(lock));
  while (!here.stopping) {
    co_await run_body(here, guard);
    const milliseconds time(here.random(0, 50));
    co_await pause(here, time);
  }
}

asio::awaitable<void> lead(scene& here) {
  const zklock::election candidate(here.zk, leader_path);
  auto operation = note_asked(here, leader_path, 'x', 1, {});
  auto body = [&](zklock::hold& held) -> asio::awaitable<void> {
    const next_candidacy next(here, operation);
    const noted_body noted(here, held, operation);
    co_await work(here);
  };
  try {
    while (!here.stopping)
      co_await candidate.run(body);
    here.log.write('E', operation, 0);
  } catch (const boost::system::system_error& error) {
    if (error.code() != zklock::errc::authentication_failed) throw;
    note_failed(here, operation, error.code());
  }
}

} // namespace chaos
