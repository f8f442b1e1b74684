#include "chaos/client/held.hpp"
#include "chaos/client/waiters.hpp"
#include "chaos/locks.hpp"

namespace chaos {
namespace {

bool may_be_carried_out(zklock::error_code error) {
  return error == zklock::errc::unknown_outcome || error == zklock::errc::closed ||
         error == asio::error::operation_aborted;
}

asio::awaitable<void> commit(scene& here, const zklock::hold& held, std::uint64_t operation,
                             std::size_t lock, const std::string& part) {
  // The checks read the lock and the token from the name.
  const auto node = bucket_path(operation % commit_buckets) + '/' + std::to_string(lock) + '_' +
                    held.token().to_string() + '_' + here.name + '.' + std::to_string(operation) +
                    '.' + part;
  zklock::transaction writes;
  writes.create(node);
  auto [error, result] = co_await held.commit(std::move(writes), as_result);
  if (!error)
    here.log.write('K', operation, node);
  else if (may_be_carried_out(error))
    here.log.write('u', operation, node);
  else
    here.log.write('k', operation, node, error.value());
}

} // namespace

asio::awaitable<void> commit_znodes(scene& here, std::size_t lock) {
  const zklock::mutex guard(here.zk, commit_path(lock));
  const std::string first = "first";
  const std::string second = "second";
  while (!here.stopping) {
    auto options = random_options(here);
    const auto operation = note_asked(here, guard.path(), 'x', 1, options);
    auto held = co_await obtain(here, guard, std::move(options), operation);
    if (held.state() != zklock::hold_state::empty) {
      co_await commit(here, held, operation, lock, first);
      const auto time = random_stay(here);
      co_await stay(here, held, operation, time);
      // Also a holder that has lost the lock, and has not noticed.
      co_await commit(here, held, operation, lock, second);
      co_await release_hold(here, std::move(held), operation);
    }
    const milliseconds time(here.random(50, 250));
    co_await pause(here, time);
  }
}

} // namespace chaos
