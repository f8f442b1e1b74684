#include "host.hpp"

#include "life.hpp"
#include "program.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace deterministic {

using namespace std::chrono_literals;

namespace {

// The time of waits for a client on another loop, once the context of the client is gone.
constexpr auto time_to_end_elsewhere = 600s;

} // namespace

host::host(world& world, kernel& kernel, std::size_t number)
    : world_(world),
      kernel_(kernel),
      number_(number),
      name_(text("p", number)),
      aside_(world.random.aside(100 + number)),
      clients_(world.design.clients),
      is_closed_(world.design.clients),
      closed_at_(world.design.clients),
      older_data_told_(world.design.clients),
      lists_(world.design.clients) {
  world.hosts.push_back(this);
}

// Other hosts are destroyed later, and look at the remaining hosts.
host::~host() {
  end();
  std::erase(world_.hosts, this);
}

// Handlers are nested: a handler that takes long, or is paused, delays all handlers under way.
void host::stop_for(std::chrono::nanoseconds duration) {
  const auto now = world_.clock().now();
  for (host* const each : world_.hosts)
    if (each == this || (is_inside_a_handler() && each->is_inside_a_handler()))
      each->pauses_.begin(now, duration);
}

void host::stall(std::chrono::nanoseconds duration) {
  world_.statistics.count(seen::handler_stalled);
  world_.tell("a handler of ", name_, " takes ", seconds(duration), " s");
  stop_for(duration);
  ++world_.stalls;
  world_.referee.stalled_until(world_.clock().now() + duration);
  kernel_.stall(duration);
  world_.referee.stalled_until(clock::never);
  --world_.stalls;
}

// Before the next stall the clients prove their sessions again.
void host::stall_a_little() {
  const auto proven_again = stalled_until_ + world_.design.longest_timeout;
  if (world_.stalls != 0 || world_.clock().now() < proven_again) return;
  auto shortest = world_.design.longest_timeout;
  for (const auto& each : clients_)
    if (each) shortest = std::min(shortest, each->session_timeout());
  const auto longest = plan::always_ahead(shortest);
  stall(draw(world_.random, longest / 2, longest));
  stalled_until_ = world_.clock().now();
}

loop* host::any_loop(dice& dice) {
  const auto& all = process_->loops();
  if (all.empty() || !dice.chance(60)) return nullptr;
  world_.statistics.count(seen::body_elsewhere);
  return all[dice.below(all.size())].get();
}

void host::block_loop(dice& dice, std::chrono::nanoseconds duration) {
  const auto& all = process_->loops();
  const auto which = dice.below(2 * all.size());
  auto& context = which < all.size() ? all[which]->context() : process_->context();
  world_.statistics.count(seen::loop_blocked);
  boost::asio::post(context, [this, duration] {
    if (!world_.healed) stall(duration);
  });
  process_->wake();
}

void host::pause(std::chrono::nanoseconds duration) {
  world_.statistics.count(seen::process_paused);
  world_.tell(name_, " is paused for ", seconds(duration), " s");
  stop_for(duration);
  process_->pause(duration);
}

void host::suspend(std::chrono::nanoseconds duration) {
  world_.statistics.count(seen::machine_suspended);
  world_.tell("the machine of ", name_, " is suspended for ", seconds(duration), " s");
  stop_for(duration);
  process_->suspend(duration);
}

void host::run(std::shared_ptr<program> next, boost::asio::awaitable<void> coroutine) {
  ++programs_;
  auto ended = [this, next](std::exception_ptr thrown) {
    program_ended();
    if (thrown) world_.violated(text(next->name(), " ends with ", what_of(thrown)));
  };
  boost::asio::co_spawn(process_->context(), std::move(coroutine), std::move(ended));
}

void host::complete() {
  if (!process_) {
    start();
    // Elsewhere the limit may be raised. But callers that wait for more permits than the limit may
    // have the room that the raise needs.
    if (!world_.design.narrow) return;
  }
  const auto last = std::make_shared<program>(world_, *this, 0, text(name_, ".0.last"));
  const auto begin = [this, &last] {
    life_->drop_all();
    for (std::size_t i = 0; i < clients_.size(); ++i) {
      if (clients_[i] && !is_closed_[i]) continue;
      note_closed(i);
      clients_[i] = make_client(i);
    }
    run(last, last->raise_limit());
  };
  process_->call(begin);
}

void host::try_all() {
  if (!process_) return;
  const auto begin = [this] {
    const auto last = std::make_shared<program>(world_, *this, 0, text(name_, ".0.tries"));
    run(last, last->try_all());
  };
  process_->call(begin);
}

void host::start() {
  process_ = &kernel_.start(text(name_, '-', ++lives_));
  life_ = std::make_shared<deterministic::life>(world_, process_->name());
  for (std::size_t i = 0; i < world_.design.loops; ++i)
    process_->add_loop();
  const auto begin = [this] {
    for (std::size_t i = 0; i < clients_.size(); ++i)
      clients_[i] = make_client(i);
    for (std::size_t i = 0; i < world_.design.programs; ++i) {
      const auto client = i % clients_.size();
      const auto next =
          std::make_shared<program>(world_, *this, client, text(name_, '.', client, '.', i));
      run(next, next->run());
    }
  };
  process_->call(begin);
  if (world_.design.is_careless && aside_.chance(70)) destroy_after(draw(aside_, 1s, 20s), lives_);
}

// It may end while its loops wait for a client, and starts again.
void host::destroy_after(std::chrono::nanoseconds delay, std::size_t life) {
  world_.clock().at(world_.clock().now() + delay, [this, life] {
    if (life != lives_ || world_.healed) return;
    if (!is_between_handlers()) return destroy_after(100ms, life);
    destroy(aside_.chance(50));
    world_.clock().at(world_.clock().now() + draw(aside_, 10ms, 5s), [this] {
      if (!process_ && !world_.healed) start();
    });
  });
}

void host::destroy(bool clients_first) {
  world_.statistics.count(seen::process_destroyed);
  world_.tell(name_, " is destroyed, ", clients_first ? "clients first" : "context first");
  end_life(clients_first);
}

void host::end() {
  if (process_) end_life(true);
}

void host::end_life(bool clients_first) {
  ++lives_;
  for (std::size_t i = 0; i < clients_.size(); ++i)
    note_closed(i);
  const auto begun = world_.clock().now();
  auto& ended = *std::exchange(process_, nullptr);
  const auto perhaps_drop = [this, &ended] {
    if (world_.design.is_careless && aside_.chance(30)) ended.call([this] { life_->drop_all(); });
  };
  const bool unwinds = is_unwound();
  ended.call([&] {
    call_somehow(unwinds, [&] {
      perhaps_drop();
      if (clients_first) destroy_clients();
      perhaps_drop();
      life_->context_ends();
      ended.end_context();
    });
  });
  perhaps_drop();
  end_process(ended, begun);
}

void host::destroy_clients() {
  const life::call now(*life_);
  for (auto& each : clients_)
    each.reset();
}

bool host::is_unwound() {
  if (!world_.design.is_careless || !aside_.chance(30)) return false;
  world_.statistics.count(seen::destroyed_while_unwinding);
  return true;
}

// Waits for a client whose context is gone end, unless a handler blocks their loop.
void host::run_loops(process& which) {
  const auto latest = world_.clock().now() + time_to_end_elsewhere;
  const auto is_over = [&] {
    const bool has_ended =
        life_->open_handlers(true) == 0 || which.is_dead() || world_.clock().now() > latest;
    return has_ended && !which.is_any_running();
  };
  if (is_over()) return;
  world_.clock().at(latest + 1ms, [] {});
  kernel_.block_until(is_over);
  if (life_->open_handlers(true) != 0)
    world_.violated(which.name() + " waits for a client whose context is gone");
}

// The loops may go on for a while, and the process may wait for the answer to a name; and with it
// a process that is inside a handler meanwhile.
void host::end_process(process& which, time_point begun) {
  run_loops(which);
  life_->loops_end();
  kernel_.end(which);
  const auto took = world_.clock().now() - begun;
  for (host* const each : world_.hosts)
    if (each->is_inside_a_handler()) each->pauses_.add(world_.clock().now(), took);
  destroy_clients();
  life_->drop_all();
  programs_ = 0;
}

void host::kill() {
  world_.tell(name_, " is killed");
  ++lives_;
  auto& ended = *std::exchange(process_, nullptr);
  ended.kill();
  life_->context_ends();
  end_process(ended, world_.clock().now());
}

bool host::is_done() const {
  return !process_ || (open_clients_ == 0 && process_->is_out_of_work());
}

bool host::is_waiting() const {
  return process_ && life_->open_handlers(false) + life_->open_handlers(true) != 0;
}

} // namespace deterministic
