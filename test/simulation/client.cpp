#include "client.hpp"

#include <algorithm>
#include <utility>

namespace simulation {

client::our_lock::our_lock(client& of, std::size_t number)
    : owner(of),
      directory(number),
      tickets(line, *this, of.settings_.cache),
      conduct(of.world_.ensemble, number, of.world_.permits_of(number), of.world_.plan,
              of.settings_.cache) {
  of.make_driver(*this);
}

client::client(world& world, std::size_t number)
    : world_(world),
      name_(text("client ", number)),
      connection_(world.ensemble.make_connection()),
      settings_{.max_entries = world.plan.window,
                .look_ahead = world.plan.look_ahead,
                .entry_bytes = entry_bytes,
                .local_handoffs = world.plan.handoffs,
                .cache = world.plan.caches(number - 1),
                .policy = world.policy,
                .most_turns = plan::most_turns,
                .limit = world.plan.limit_is_told ? std::optional<std::uint32_t>()
                                                  : std::optional(world.plan.limit)},
      budget_(world.plan.budget * entry_bytes),
      requester_(world, [this](request request) { give(std::move(request)); }) {
  for (std::size_t i = 0; i < world.plan.directories; ++i)
    locks_.emplace_back(*this, i);
}

void client::make_driver(our_lock& lock) {
  lock.driver.emplace(requester_, lock.tickets.listener(), world_.names.lock(lock.directory),
                      settings_, budget_);
  lock.tickets.drive(*lock.driver);
}

acquisition_id client::acquire(std::size_t directory, zklock::queue::lock_mode asked, bool trying,
                               claim* room) {
  const acquisition_id id = ++last_acquisition_;
  world_.trace(name_, " queue ", directory, ": ", trying ? "try" : "acquire", ", acquisition ", id,
               asked.permits == 1 ? "" : text(", ", asked.permits, " permits"));
  our_lock& lock = locks_[directory];
  lock.conduct.acquired(id, asked, trying, room ? room->number() : 0);
  const auto made = std::make_shared<member>(lock, id, asked, room);
  made->trying = trying;
  lock.members.emplace(id, made);
  if (lock.line.grant_fast(*made)) {
    made->complete_fast();
  } else if (lock.line.wait(made)) {
    if (lock.line.is_held_fast()) world_.statistics.count(seen::waited_fast);
    // The look may be behind other tasks of the strand.
    if (is_fast() && world_.plan.outside_percent != 100)
      lock.is_look_due = true;
    else
      lock.look();
  }
  return id;
}

void client::release(std::size_t directory, acquisition_id id) {
  our_lock& lock = locks_[directory];
  attempt& attempt = *lock.conduct.find(id);
  world_.trace(name_, " queue ", directory, ": release acquisition ", id);
  if (attempt.held)
    world_.referee.end(attempt.node);
  else if (!connected_)
    world_.statistics.count(seen::given_up_disconnected);
  else
    world_.statistics.count(seen::given_up_waiting);
  lock.conduct.released(attempt);
  const auto used = lock.members.at(id);
  if (attempt.held)
    release(lock, *used);
  else
    give_up(lock, *used);
}

void client::downgrade(std::size_t directory, acquisition_id id) {
  world_.trace(name_, " queue ", directory, ": downgrade acquisition ", id);
  attempt& attempt = *locks_[directory].conduct.find(id);
  attempt.asked_to_read = attempt.downgrading = true;
  locks_[directory].tickets.downgrade(*locks_[directory].members.at(id));
}

void client::rename(std::size_t directory, acquisition_id id,
                    const zklock::queue::identity_pointer& identity) {
  our_lock& lock = locks_[directory];
  const std::string name = identity ? *identity : common_identity;
  world_.trace(name_, " queue ", directory, ": acquisition ", id, " becomes ", name);
  world_.statistics.count(seen::renamed);
  lock.conduct.renamed(*lock.conduct.find(id), name);
  lock.tickets.set_identity(*lock.members.at(id), identity);
}

bool client::caches_any() const {
  const bool any = std::any_of(locks_.begin(), locks_.end(), [](const our_lock& lock) {
    return lock.driver->state().cached() != 0;
  });
  if (any && !settings_.cache) fail(name_, " caches a lock with the cache off");
  return any;
}

void client::check_cached() const {
  for (const auto& lock : locks_)
    for (const auto& [id, e] : lock.driver->state().entries()) {
      const auto node = lock.conduct.node_of(id);
      if (e.is == zklock::queue::entry::state::cached && node != no_such_node &&
          world_.ensemble.truth().is_changed(node))
        fail(name_, " has not heard that it is to release entry ", id);
    }
}

bool client::evict(std::size_t directory) {
  our_lock& lock = locks_[directory];
  if (lock.driver->state().cached() == 0) return false;
  world_.trace(name_, " queue ", directory, ": evicts the cached entries");
  world_.statistics.count(seen::cached_evicted);
  lock.driver->evict();
  return true;
}

void client::forget(std::size_t directory) {
  our_lock& lock = locks_[directory];
  if (!lock.driver->idle() || lock.driver->state().has_late_writes()) return;
  const bool remembers = std::exchange(lock.remembers, !lock.remembers);
  world_.trace(name_, " queue ", directory, remembers ? ": remembered" : ": forgotten");
  world_.statistics.count(remembers ? seen::queue_remembered : seen::queue_forgotten);
  zklock::detail::idle_lock kept;
  if (remembers)
    kept = lock.driver->rest(this);
  else
    lock.driver->release_watches();
  make_driver(lock);
  lock.driver->resume(kept, this);
  if (connected_) lock.driver->connected();
}

// Has the drivers repeat refused deletes. Returns whether any driver has such deletes.
bool client::try_again() {
  bool any = false;
  for (auto& lock : locks_) {
    if (!lock.driver->state().has_refused()) continue;
    any = true;
    world_.trace(name_, " queue ", lock.directory, ": tries again");
    world_.statistics.count(seen::tried_again);
    lock.driver->try_again();
  }
  return any;
}

void client::lose_connection() {
  world_.trace(name_, " loses the connection");
  world_.statistics.count(seen::disconnection);
  world_.ensemble.cut(connection_);
  connection_.received.clear();
  connected_ = false;
  robbed_.clear();
  requests_ = answers_ = 0;
  requester_.watches().clear();
  for (auto& lock : locks_) {
    if (lock.misled) lock.misled->rounds = 0;
    lock.conduct.disconnected();
    lock.driver->disconnected();
  }
}

bool client::connect(std::size_t server) {
  // A deposed leader knows of no end of a session, and begins none.
  const bool deposed = world_.ensemble.is_deposed(server);
  if (deposed && session() == 0) return false;
  if (session() != 0 && !world_.ensemble.lives(session()) && !deposed) {
    world_.trace(name_, " hears that session ", session(), " has ended");
    world_.statistics.count(seen::expiry);
    for (auto& lock : locks_) {
      leave_misled(lock);
      lock.driver->expired(reason::session_expired);
    }
    requester_.begin_session(0, settings_.cache);
    return false;
  }
  const bool is_new = session() == 0;
  if (is_new) requester_.begin_session(world_.ensemble.start_session(), settings_.cache);
  world_.trace(name_, " connects to server ", server, " in session ", session());
  if (!is_new) world_.ensemble.leave_late(connection_);
  world_.ensemble.attach(connection_, session(), server);
  connected_ = true;
  if (deposed) world_.statistics.count(seen::deposed_met);
  // Reads on this connection are answered behind a write that the quorum has confirmed.
  if (!is_new) give({.what = request::kind::transaction});
  for (auto& lock : locks_) {
    lock.conduct.connected(session());
    lock.driver->connected();
  }
  return true;
}

void client::check_downgrades() const {
  for (const auto& lock : locks_)
    lock.conduct.check_downgrades();
}

void client::check_rest() const {
  for (const auto& lock : locks_) {
    if (!lock.conduct.attempts().empty())
      fail(name_, " has forgotten acquisition ", lock.conduct.attempts().begin()->first);
    if (!lock.driver->idle())
      fail(name_, " has something left in the queue of directory ", lock.directory);
    if (!lock.driver->state().own().empty())
      fail(name_, " has a line in the queue of directory ", lock.directory);
  }
  if (budget_.left() != budget_.total()) fail(name_, " has not returned all room to its budget");
  for (std::size_t i = 0; i < world_.ensemble.truth().directories(); ++i)
    for (const auto child : world_.ensemble.truth().at(i).children)
      if (world_.ensemble.at(child).owner == session())
        fail(name_, " has left ", world_.ensemble.at(child).name);
}

} // namespace simulation
