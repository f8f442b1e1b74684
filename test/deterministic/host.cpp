#include "host.hpp"

#include "callbacks.hpp"
#include "program.hpp"

#include <boost/asio/co_spawn.hpp>

#include <algorithm>
#include <utility>

namespace deterministic {

using namespace std::chrono_literals;

namespace {

// What the servers and the network need to end a session when all faults are over.
constexpr auto time_to_end_session = 60s;

} // namespace

host::host(world& world, kernel& kernel, std::size_t number)
    : world_(world),
      kernel_(kernel),
      number_(number),
      name_(text("p", number)),
      clients_(world.design.clients),
      is_closed_(world.design.clients),
      closed_at_(world.design.clients) {
  world.hosts.push_back(this);
}

host::~host() {
  end();
}

// Handlers are nested: one that takes long, or is paused, keeps up all that are under way.
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
  kernel_.stall(duration);
  --world_.stalls;
}

// Before the next one the clients prove their sessions again.
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

std::unique_ptr<zklock::client> host::make_client(std::size_t which) {
  auto options = world_.design.next_client(world_.random, number_);
  const auto name = text(name_, '.', which);
  options.servers = world_.servers + (has_chroot(which) ? world_.design.root : "");
  options.identity = name;
  options.log = [this, name](zklock::log_level, std::string_view line) {
    world_.tell(name, ": ", line);
    check_silence(name, line);
  };
  // What an observer is to be told of is not granted outside of the strand.
  const bool keeps = options.lock_cache.has_value();
  if (!keeps || world_.random.chance(50))
    options.observer = std::make_shared<callbacks>(world_, *this, which, keeps);
  is_closed_[which] = false;
  world_.tell(name, " starts, session timeout ", options.session_timeout.count(), " ms");
  return std::make_unique<zklock::client>(process_->context(), std::move(options));
}

// A connection is given up as silent only where all that has arrived was read.
void host::check_silence(const std::string& name, std::string_view line) {
  if (!process_ || line.find("timed out (exceeded") == line.npos) return;
  const auto begin = line.find(" to ") + 4;
  const std::string address(line.substr(begin, line.find(": ") - begin));
  if (process_->has_just_left_unread(address))
    world_.violated(name + " gives up a connection without reading what has arrived");
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
  if (!process_) return start();
  const auto last = std::make_shared<program>(world_, *this, 0, text(name_, ".0.last"));
  const auto begin = [this, &last] {
    for (std::size_t i = 0; i < clients_.size(); ++i)
      if (!clients_[i]) clients_[i] = make_client(i);
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
}

void host::replace_client_soon(std::size_t which) {
  const auto life = lives_;
  const auto replace = [this, which, life] {
    if (life != lives_ || world_.healed || clients_[which]) return;
    if (!is_between_handlers()) return replace_client_soon(which);
    process_->call([&] { clients_[which] = make_client(which); });
  };
  world_.clock().at(world_.clock().now() + draw(world_.random, 10ms, 5s), replace);
}

void host::note_closed(std::size_t which) {
  is_closed_[which] = true;
  closed_at_[which] = world_.clock().now();
}

void host::destroy_client(std::size_t which) {
  if (!process_ || !clients_[which]) return;
  world_.statistics.count(seen::client_destroyed);
  world_.tell(name_, '.', which, " is destroyed");
  // A callback of this very client may be what destroys it.
  note_closed(which);
  auto gone = std::move(clients_[which]);
  process_->call([&] { gone.reset(); });
  replace_client_soon(which);
}

void host::close_client(std::size_t which) {
  if (!process_ || !clients_[which]) return;
  world_.statistics.count(seen::client_closed);
  world_.tell(name_, '.', which, " is closed");
  const auto name = text(name_, '.', which);
  const auto session = clients_[which]->session_id();
  auto closed = [this, name, session](zklock::error_code error) {
    check_closed(name, session, error);
  };
  note_closed(which);
  process_->call([&] { clients_[which]->close(std::move(closed)); });
  destroy_client_after(draw(world_.random, 1ms, 10s), which, lives_);
}

// Not inside a handler, which may be long, or paused.
void host::destroy_client_after(std::chrono::nanoseconds delay, std::size_t which,
                                std::size_t life) {
  world_.clock().at(world_.clock().now() + delay, [this, which, life] {
    if (life != lives_) return;
    if (is_between_handlers()) return destroy_client(which);
    destroy_client_after(100ms, which, life);
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
  auto& ended = *std::exchange(process_, nullptr);
  if (clients_first)
    ended.call([this] {
      for (auto& each : clients_)
        each.reset();
    });
  end_process(ended);
  for (auto& each : clients_)
    each.reset();
  programs_ = 0;
}

// It may wait for the answer to a name, and with it a process that is inside a handler meanwhile.
void host::end_process(process& which) {
  const auto begun = world_.clock().now();
  kernel_.end(which);
  const auto took = world_.clock().now() - begun;
  for (host* const each : world_.hosts)
    if (each->is_inside_a_handler()) each->pauses_.add(took);
}

void host::kill() {
  world_.tell(name_, " is killed");
  ++lives_;
  auto& ended = *std::exchange(process_, nullptr);
  ended.kill();
  end_process(ended);
  for (auto& each : clients_)
    each.reset();
  programs_ = 0;
}

void host::check_closed(const std::string& name, std::int64_t session, zklock::error_code error) {
  world_.tell(name, " has closed: ", error.message());
  if (!error && world_.has_nodes_of(session))
    world_.violated(name + " has closed, and nodes of it are left");
}

void host::close_all() {
  if (!process_) return;
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    if (!clients_[i]) continue;
    ++open_clients_;
    const auto begun = world_.clock().now();
    const auto session = clients_[i]->session_id();
    auto closed = [this, i, begun, session](zklock::error_code error) {
      --open_clients_;
      check_closed(text(name_, '.', i), session, error);
      if (error && error != zklock::errc::closed)
        world_.violated(text(name_, '.', i, " could not close: ", error.message()));
      if (world_.clock().now() - begun > time_to_end_session)
        world_.violated(text(name_, '.', i, " took too long to close"));
    };
    note_closed(i);
    process_->call([&] { clients_[i]->close(std::move(closed)); });
  }
}

bool host::is_connected() const {
  return std::all_of(clients_.begin(), clients_.end(),
                     [](const auto& each) { return !each || each->connected(); });
}

bool host::uses_session(std::int64_t session) const {
  if (!process_) return false;
  for (std::size_t i = 0; i < clients_.size(); ++i)
    if (clients_[i] && !is_closed_[i] && clients_[i]->session_id() == session) return true;
  return false;
}

bool host::is_done() const {
  return !process_ || (open_clients_ == 0 && process_->context().stopped());
}

} // namespace deterministic
