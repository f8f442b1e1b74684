#include "chaos/client/held.hpp"
#include "chaos/client/storage_client.hpp"
#include "chaos/client/waiters.hpp"
#include "chaos/locks.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>

namespace chaos {
namespace {

std::uint64_t read_number(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::uint64_t number = 0;
  in >> number;
  return number;
}

// Always as long, and in a single call: a kill leaves the old or the new number.
void write_number(const std::filesystem::path& file, std::uint64_t number) {
  auto text = std::to_string(number);
  text.insert(0, 20 - text.size(), '0');
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  const auto written = ::pwrite(descriptor, text.data(), text.size(), 0);
  ::close(descriptor);
  if (written != static_cast<ssize_t>(text.size()))
    throw std::runtime_error("cannot write " + file.string());
}

// Reads, waits and writes, as programs do that rely on the lock alone.
asio::awaitable<void> use(scene& here, const zklock::hold& held, std::uint64_t operation,
                          std::size_t set_number) {
  const auto element = here.name + '.' + std::to_string(operation);
  // A new set every ten seconds, so that sets stay small.
  const auto epoch = zklock::boot_clock::now().time_since_epoch() / 10s;
  const auto set = "set-" + std::to_string(set_number) + '-' + std::to_string(epoch);
  const auto checked = here.folder / ("checked-" + std::to_string(set_number));
  const auto unchecked = here.folder / ("unchecked-" + std::to_string(set_number));

  std::string fenced;
  std::string unfenced;
  co_await read_set(here, "fenced-" + set, held.token(), fenced);
  co_await read_set(here, set, no_fence, unfenced);
  const auto first = read_number(checked);
  const auto second = read_number(unchecked);
  const auto time = random_stay(here);
  co_await stay(here, held, operation, time);

  if (fenced != "refused") {
    const auto more = fenced.substr(2) + ' ' + element;
    co_await write_set(here, "fenced-" + set, held.token(), more, fenced);
  }
  if (fenced == "refused")
    here.log.write('X', operation);
  else
    here.log.write('F', operation, "fenced-" + set, element);
  const auto more = unfenced.substr(2) + ' ' + element;
  co_await write_set(here, set, no_fence, more, unfenced);
  here.log.write('U', operation, set, element);
  if (held.owns_lock()) {
    write_number(checked, first + 1);
    here.log.write('N', operation, checked.filename().string());
  }
  write_number(unchecked, second + 1);
  here.log.write('n', operation, unchecked.filename().string());
}

// Returns whether the lock was granted.
asio::awaitable<bool> add(scene& here, const zklock::mutex& guard, std::size_t set_number,
                          notice wanted) {
  auto options = random_options(here);
  const auto operation = note_asked(here, guard.path(), 'x', 1, options);
  auto held = co_await obtain(here, guard, std::move(options), operation, wanted);
  if (held.state() == zklock::hold_state::empty) co_return false;
  co_await use(here, held, operation, set_number);
  co_await release_hold(here, std::move(held), operation);
  co_return true;
}

} // namespace

asio::awaitable<void> add_to_sets(scene& here, std::size_t lock) {
  const zklock::mutex guard(here.zk, mutex_path(lock));
  while (!here.stopping) {
    co_await add(here, guard, lock, notice::of_loss);
    const milliseconds time(here.random(0, 50));
    co_await pause(here, time);
  }
}

// The sets of this lock come behind the sets of all other mutexes.
asio::awaitable<void> use_own_lock(scene& here) {
  while (!here.stopping) {
    const auto other = static_cast<std::size_t>(here.random(0, own_mutexes - 1));
    const auto lock = here.chance(90) ? here.process : other;
    const auto wanted = here.chance(30) ? notice::of_loss : notice::none;
    for (int uses = here.random(1, 12); uses > 0 && !here.stopping; --uses)
      if (!co_await add(here, here.own_locks[lock], mutexes + lock, wanted)) break;
    const milliseconds time(here.random(200, 2'000));
    co_await pause(here, time);
  }
}

} // namespace chaos
