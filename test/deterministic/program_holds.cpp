#include <zklock/hold.hpp>

#include "client/release_request.hpp"
#include "program.hpp"

#include <string>
#include <utility>

namespace deterministic {

using namespace std::chrono_literals;
using zklock::errc;

asio::awaitable<zklock::hold> program::acquire(attempt what, zklock::error_code& error) {
  auto lock = lock_of(what.use);
  return acquire(std::move(lock), std::move(what), error);
}

asio::awaitable<zklock::hold> program::acquire(zklock::any_lock lock, attempt what,
                                               zklock::error_code& error) {
  auto operation = lock.acquire(options_of(what));
  return acquire(std::move(operation), std::move(what), error);
}

asio::awaitable<zklock::hold> program::acquire(acquire_operation operation, attempt what,
                                               zklock::error_code& error) {
  wait waiting(world_, host_, name_ + " acquires " + what.use.path);
  const counted_try counted(world_, what);
  auto held =
      co_await carry_out<zklock::hold>(waiting, std::move(operation), limits_of(what), error);
  check(error, what);
  if (error ? held.state() != zklock::hold_state::empty : held.state() == zklock::hold_state::empty)
    surprised("the result of acquiring " + what.use.path, error);
  perhaps_destroy();
  co_return held;
}

asio::awaitable<void> program::acquire_once() {
  if (is_careless(40)) co_return co_await leave_behind();
  attempt what = any_attempt(any_use());
  what.named = what.use.asked;
  auto lock = lock_of(what.use);
  const auto operation = lock.acquire(options_of(what));
  zklock::error_code error;
  auto held = co_await acquire(operation, what, error);
  if (error) co_return;
  const bool expects_identity = !what.use.identity.empty() && !world_.design.servers_refuse &&
                                !world_.design.servers_misanswer && random_.chance(30);
  if (is_careless(30)) drop_operations(held);
  co_await keep(held, what.use, expects_identity);
  if (world_.healed) co_await expect_loss(held);
  co_await give_back(std::move(held));
  if (is_careless(20) && is_ready()) {
    world_.statistics.count(seen::operation_copied);
    what.use.asked = world_.clock().now();
    what.use.ahead = always_ahead();
    world_.referee.note_ended(what.use);
    held = co_await acquire(operation, what, error);
    if (error) co_return;
    co_await keep(held, what.use);
    co_await give_back(std::move(held));
  }
  if (world_.design.caching) co_await use_again(what.use);
}

// A lock used in a row is cached, if its client has a cache.
asio::awaitable<void> program::use_again(lock_use use) {
  if (!is_ready()) co_return;
  const auto lock = lock_of(use);
  const auto named = world_.clock().now();
  for (auto left = random_.below(8); left != 0 && !world_.healed; --left) {
    co_await sleep(about(20ms));
    if (random_.chance(10)) co_await evict_cached();
    // Another client may have taken its place, or none.
    if (!is_ready()) co_return;
    use.asked = world_.clock().now();
    use.ahead = always_ahead();
    world_.referee.note_ended(use);
    attempt what = any_attempt(use);
    what.named = named;
    what.options.cache = !random_.chance(10);
    zklock::error_code error;
    auto held = co_await acquire(lock, what, error);
    if (error) co_return;
    {
      const referee::watch relied(world_.referee, held, use, host_.running(), false);
      if (held.token().turn() != 0 && world_.design.local_handoffs == 0)
        world_.statistics.count(seen::grant_of_what_was_kept);
      co_await sleep(about(20ms));
      perhaps_stall();
    }
    co_await give_back(std::move(held));
  }
}

asio::awaitable<void> program::evict_cached() {
  if (!is_ready()) co_return;
  wait waiting(world_, host_, name_ + " gives back what it keeps");
  limits limits;
  if (random_.chance(50)) limits.cancelled_after = draw(random_, 0ms, 5s);
  zklock::error_code error;
  auto operation = client().evict_cached();
  co_await carry_out<void>(waiting, std::move(operation), limits, error);
  if (error && error != errc::closed &&
      !(limits.cancelled_after && error == asio::error::operation_aborted))
    surprised("giving back what is kept", error);
}

// Where its entry was deleted by hand, the next check tells.
asio::awaitable<void> program::expect_loss(const zklock::hold& held) {
  constexpr auto time_to_tell = 60s;
  const std::string node(held.node());
  // Of several permits another permit may be gone, or only this permit.
  if (node.find("/leases/") != node.npos) co_return;
  const auto latest = world_.clock().now() + time_to_tell;
  while (!world_.has_node(node) && held.state() != zklock::hold_state::lost) {
    if (world_.clock().now() > latest) {
      world_.violated(node + " is held, and does not exist");
      co_return;
    }
    co_await sleep(500ms);
  }
}

std::string program::any_identity() {
  constexpr std::size_t longest = 4096;
  auto made = text(name_, ", identity ", ++identities_);
  if (random_.chance(5)) made.resize(longest, 'x');
  return made;
}

asio::awaitable<void> program::rename(const zklock::hold& held) {
  const auto identity = any_identity();
  world_.tell(name_, " renames ", held.node(), " to ", identity.substr(0, 40));
  limits limits;
  if (random_.chance(20)) limits.cancelled_after = draw(random_, 0ms, 2s);
  const auto begun = world_.clock().now();
  zklock::error_code error;
  {
    wait waiting(world_, host_, name_ + " changes an identity");
    auto operation = held.set_identity(identity);
    co_await carry_out<void>(waiting, std::move(operation), limits, error);
  }
  if (!error) {
    world_.statistics.count(seen::identity_changed);
    co_await expect_identity(held, identity, begun);
  } else if (!is_refused(error) && error != errc::session_expired &&
             error != errc::data_rolled_back && error != errc::entry_deleted &&
             error != errc::hold_limit_reached && error != errc::closed &&
             !(limits.cancelled_after && error == asio::error::operation_aborted)) {
    surprised("changing an identity", error);
  }
  perhaps_destroy();
}

// The entry of an acquisition may have been created for another acquisition: then the identity is
// written after the grant. Servers that came back with older data since may have lost the identity.
asio::awaitable<void> program::expect_identity(const zklock::hold& held, std::string identity,
                                               time_point asked) {
  constexpr int most_looks = 120;
  const std::string node(held.node());
  for (int looks = 0; held.state() != zklock::hold_state::lost; ++looks) {
    const auto data = world_.data_of(node);
    if (!data || *data == identity || world_.referee.was_rolled_back_since(asked)) co_return;
    const auto request = zklock::detail::parse_release_request(*data);
    if (request && (request->requester.empty() || request->identity == identity)) co_return;
    if (looks == most_looks) {
      world_.violated(text(node, " of ", identity.substr(0, 40), " has the data ", *data));
      co_return;
    }
    co_await sleep(500ms);
  }
}

asio::awaitable<void> program::keep(const zklock::hold& held, lock_use use, bool expects_identity) {
  const referee::watch relied(world_.referee, held, use, host_.running(), false);
  world_.tell(name_, " holds ", held.node(), " with token ", held.token());
  if (expects_identity) co_await expect_identity(held, use.identity, use.asked);
  if (random_.chance(40)) listen(held);
  if (random_.chance(15)) {
    zklock::transaction writes;
    writes.set(path_of(use.path.substr(world_.design.root.size())), name_);
    co_await commit(held, std::move(writes));
  }
  if (const auto percent = world_.design.named_percent; percent != 0 && random_.chance(percent))
    co_await rename(held);
  const auto slices = random_.between(0, 3);
  for (std::size_t i = 0; i < slices && !world_.healed; ++i) {
    co_await sleep(about(world_.design.hold_time) / 2);
    perhaps_stall();
    if (held.state() == zklock::hold_state::lost && random_.chance(50)) break;
  }
}

void program::listen(const zklock::hold& held) {
  auto lost = [this, self = shared_from_this(), node = std::string(held.node())](
                  zklock::error_code error, zklock::error_code reason) {
    // Of several permits another permit may be gone.
    const bool is_permit = node.find("/leases/") != node.npos;
    // Another client may be before it in another directory; or a child with a lower number that was
    // made by hand, that only its server has, or that a restore has brought back.
    const bool may_be_overtaken = world_.referee.is_misled(node) ||
                                  world_.numbered_by_hand.contains(directory_of(node)) ||
                                  world_.design.has_phantoms || world_.design.servers_are_restored;
    if (!error && reason == errc::entry_deleted && !is_permit && !may_be_overtaken &&
        world_.has_node(node))
      surprised("the loss of " + node + ", which exists,", reason);
    if (error && error != asio::error::operation_aborted)
      surprised("waiting for a loss", error);
    else if (!error && reason != errc::session_expired && reason != errc::data_rolled_back &&
             reason != errc::entry_deleted && reason != errc::hold_limit_reached &&
             reason != errc::closed)
      surprised("a hold that is lost", reason);
    else if (!error)
      world_.tell(name_, " is told of a loss: ", reason.message());
    perhaps_stall();
    perhaps_destroy();
  };
  loop* const on = world_.design.is_careless ? any_loop() : nullptr;
  start_on<void(zklock::error_code, zklock::error_code)>(on, name_ + " waits for a loss",
                                                         held.wait_lost(), std::move(lost));
  auto requested = [this, self = shared_from_this()](zklock::error_code error,
                                                     const std::string& requester) {
    if (!error) {
      world_.statistics.count(seen::release_requested);
      world_.tell(name_, " is asked to release by ", requester);
      perhaps_destroy();
    } else if (!is_refused(error) && error != asio::error::operation_aborted &&
               error != errc::session_expired && error != errc::data_rolled_back &&
               error != errc::entry_deleted && error != errc::hold_limit_reached &&
               error != errc::closed) {
      surprised("waiting for a request to release", error);
    }
  };
  start_on<void(zklock::error_code, std::string)>(
      on, name_ + " waits for a request", held.wait_release_requested(), std::move(requested));
}

asio::awaitable<void> program::commit(const zklock::hold& held, zklock::transaction writes) {
  wait waiting(world_, host_, name_ + " commits");
  zklock::error_code error;
  auto operation = held.commit(std::move(writes));
  co_await carry_out<zklock::commit_result>(waiting, std::move(operation), {}, error);
  if (!error) world_.statistics.count(seen::committed);
  if (error == errc::unknown_outcome) world_.statistics.count(seen::commit_unknown);
  if (error == errc::session_expired || error == errc::data_rolled_back ||
      error == errc::entry_deleted || error == errc::hold_limit_reached)
    world_.statistics.count(seen::commit_refused);
  else if (error && !is_refused(error) && error != errc::unknown_outcome && error != errc::closed &&
           !is_unreachable(error) && error != errc::no_node && error != errc::node_exists)
    surprised("a commit", error);
  perhaps_destroy();
}

asio::awaitable<void> program::give_back(zklock::hold held) {
  const auto how = random_.below(4);
  if (how == 0) {
    const bool unwinds = is_careless(30);
    const life::call now(*life_);
    call_somehow(unwinds, [&held] { held = zklock::hold(); });
    co_return;
  }
  if (how == 1) {
    auto released = [this, self = shared_from_this()](zklock::error_code error) {
      world_.tell(name_, " has released in the background: ", error.message());
      perhaps_destroy();
    };
    start_on<void(zklock::error_code)>(nullptr, name_ + " releases", held.release(),
                                       std::move(released));
    co_return;
  }
  wait waiting(world_, host_, name_ + " releases");
  limits limits;
  if (how == 2) limits.cancelled_after = draw(random_, 0ms, 200ms);
  zklock::error_code error;
  const auto operation = held.release();
  co_await carry_out<void>(waiting, operation, limits, error);
  if (held.state() != zklock::hold_state::empty) surprised("the hold after its release", error);
  if (error && error != errc::not_connected && error != errc::closed &&
      !(how == 2 && error == asio::error::operation_aborted))
    surprised("a release", error);
  if (is_careless(30)) {
    co_await carry_out<void>(waiting, operation, {}, error);
    if (error != errc::empty_hold) surprised("the copy of a release", error);
  }
  perhaps_destroy();
}

} // namespace deterministic
