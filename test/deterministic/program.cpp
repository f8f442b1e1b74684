#include "program.hpp"

#include <zklock/mutex.hpp>
#include <zklock/semaphore.hpp>
#include <zklock/shared_mutex.hpp>

#include <array>

namespace deterministic {

using namespace std::chrono_literals;
using zklock::participant_role;

namespace {

// The time that a client needs to connect and to be refused, without faults.
constexpr auto time_to_refuse = 5s;

} // namespace

std::string what_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    return error.what();
  }
}

program::program(world& world, host& of, std::size_t client, std::string name)
    : world_(world),
      host_(of),
      process_(of.running()),
      life_(of.life()),
      place_told_([by = life_](std::size_t) { by->called("the function for the place"); }),
      client_(client),
      name_(std::move(name)),
      random_(world.random.next()) {}

asio::awaitable<void> program::run() {
  while (!world_.healed) {
    co_await sleep(about(world_.design.think_time));
    if (world_.healed) break;
    if (is_ready()) co_await step();
  }
}

asio::awaitable<void> program::step() {
  struct choice {
    asio::awaitable<void> (program::*step)();
    std::size_t weight;
  };
  static constexpr std::array choices{
      choice{&program::acquire_once, 30},
      choice{&program::with_lock_once, 20},
      choice{&program::lead, 8},
      choice{&program::take_several, 8},
      choice{&program::take_any, 6},
      choice{&program::acquire_again, 6},
      choice{&program::write_then_read, 6},
      choice{&program::change_limit, 4},
      choice{&program::look, 6},
      choice{&program::follow_holder, 3},
      choice{&program::disturb, 5},
  };
  std::size_t all = 0;
  for (const auto& each : choices)
    all += each.weight;
  auto drawn = random_.below(all);
  for (const auto& each : choices) {
    if (drawn < each.weight) {
      co_await (this->*each.step)();
      co_return;
    }
    drawn -= each.weight;
  }
}

// From 0.5 to 1.5 times the mean, and sometimes next to nothing.
std::chrono::nanoseconds program::about(std::chrono::milliseconds mean) {
  if (random_.chance(15)) return draw(random_, 0ms, 2ms);
  return draw(random_, mean / 2, mean * 3 / 2);
}

void program::perhaps_stall() {
  const auto& design = world_.design;
  if (!design.handlers_stall || world_.healed || !random_.chance(design.calm ? 60 : 2)) return;
  if (design.calm) return host_.stall_a_little();
  host_.stall(random_.chance(70) ? draw(random_, 1ms, 3s) : draw(random_, 3s, 15s));
}

void program::perhaps_destroy() {
  if (!world_.design.destroys_in_handlers || world_.healed || !random_.chance(4)) return;
  if (!is_ready()) return;
  world_.statistics.count(seen::client_destroyed_in_a_handler);
  host_.destroy_client(client_);
}

// A stranger that makes the root would let all clients in.
bool program::is_ready() const {
  return host_.client(client_) && (!host_.is_stranger() || world_.root_since);
}

std::string program::path_of(std::string_view name) const {
  return (host_.has_chroot(client_) ? "" : world_.design.root) + std::string(name);
}

lock_use program::use_of(std::string_view name) const {
  lock_use use{.path = world_.design.root + std::string(name), .asked = world_.clock().now()};
  world_.referee.note_ended(use);
  use.ahead = always_ahead();
  return use;
}

std::chrono::nanoseconds program::always_ahead() const {
  const auto& design = world_.design;
  const auto timeout = client().session_timeout();
  // A body that begins is not cancelled at once.
  if (!design.calm || design.handlers_stall) return timeout / 10;
  return plan::always_ahead(timeout);
}

lock_use program::any_use(bool with_permits) {
  const auto& design = world_.design;
  const auto all = design.mutexes + design.shared_mutexes + (with_permits ? design.semaphores : 0);
  auto which = random_.below(all);
  if (which < design.mutexes) return use_of(text("/locks/mutex-", which, design.name_end));
  if ((which -= design.mutexes) < design.shared_mutexes) {
    auto use = use_of(text("/locks/shared-", which, design.name_end));
    if (random_.chance(60)) use.role = participant_role::shared;
    return use;
  }
  auto use =
      use_of((random_.chance(40) ? "/locks/permits-told" : "/locks/permits") + design.name_end);
  use.role = participant_role::permit;
  use.permits =
      static_cast<std::int64_t>(random_.between(1, static_cast<std::size_t>(design.limit)));
  return use;
}

zklock::any_lock program::lock_of(const lock_use& use) {
  const auto name = use.path.substr(world_.design.root.size());
  const auto path = path_of(name);
  if (use.role == participant_role::permit) {
    if (!name.starts_with("/locks/permits-told")) {
      world_.referee.limit_may_be(use.path, world_.design.limit);
      return zklock::semaphore(client(), path, world_.design.limit).permits(use.permits);
    }
    return zklock::semaphore(client(), path, zklock::limit_node{path_of("/limit")})
        .permits(use.permits);
  }
  if (!name.starts_with("/locks/shared")) return zklock::mutex(client(), path);
  const zklock::shared_mutex both(client(), path);
  if (use.role == participant_role::shared) return both.shared();
  return both;
}

attempt program::any_attempt(lock_use use) {
  attempt what{.use = std::move(use)};
  const auto kind = random_.below(10);
  if (kind == 0) what.options.timeout = 0ns;
  if (kind > 0 && kind < 5) what.options.timeout = draw(random_, 1ms, 20s);
  if (random_.chance(15)) what.cancelled_after = draw(random_, 0ms, 15s);
  if (random_.chance(5)) what.options.hold_limit = draw(random_, 1ms, 5s);
  give_identity(what.use);
  what.is_told = is_careless(10);
  return what;
}

void program::give_identity(lock_use& use) {
  if (const auto percent = world_.design.named_percent; percent != 0 && random_.chance(percent))
    use.identity = any_identity();
}

zklock::acquire_options program::options_of(const attempt& what) const noexcept {
  auto options = what.options;
  options.identity = what.use.identity;
  if (what.is_told) options.queued = place_told_;
  return options;
}

limits program::limits_of(const attempt& what) const {
  limits limits{.cancelled_after = what.cancelled_after};
  if (what.has_timeout() && !what.is_try()) limits.timeout = what.options.timeout.left();
  if (host_.is_stranger() && world_.design.calm) limits.timeout = time_to_refuse;
  return limits;
}

} // namespace deterministic
