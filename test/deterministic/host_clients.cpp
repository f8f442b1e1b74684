// The clients of a process.

#include "callbacks.hpp"
#include "host.hpp"
#include "life.hpp"
#include "server_side.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/strand.hpp>

#include <algorithm>
#include <utility>

namespace deterministic {

using namespace std::chrono_literals;

namespace {

// The time that servers and network need to end a session when all faults are over.
constexpr auto time_to_end_session = 60s;

} // namespace

std::unique_ptr<zklock::client> host::make_client(std::size_t which) {
  auto options = world_.design.next_client(world_.random, number_);
  const auto name = text(name_, '.', which);
  options.servers = world_.servers + chroot_of(which);
  if (world_.needs_credentials) options.credentials = {{.secret = "owner:secret"}};
  if (world_.fixed.speaks_tls) options.tls.emplace();
  options.identity = name;
  const auto list = lists_[which] = std::make_shared<std::string>(world_.servers);
  options.log = [this, name, which, by = life_, list](zklock::log_level, std::string_view line) {
    by->called("the log function");
    world_.tell(name, ": ", line);
    note_older_data(which, line);
    check_silence(name, line);
    check_loss(name, line);
    check_expiry(name, line);
    check_change(name, line);
    check_list(name, *list, line);
    note_failure(which, line);
  };
  if (world_.design.has_labels)
    options.label = [by = life_](std::string_view path) {
      by->called("the label function");
      return std::string(path);
    };
  // With an observer, nothing is granted outside of the strand.
  const bool keeps = options.lock_cache.has_value();
  if (!keeps || world_.random.chance(50))
    options.observer = std::make_shared<callbacks>(world_, *this, which, keeps);
  is_closed_[which] = false;
  world_.tell(name, " starts, session timeout ", options.session_timeout.count(), " ms");
  const life::call now(*life_);
  boost::asio::any_io_executor executor = process_->context().get_executor();
  if (world_.fixed.has_strands) executor = boost::asio::make_strand(executor);
  return std::make_unique<zklock::client>(std::move(executor), std::move(options));
}

// A connection is given up as silent only where all that has arrived was read.
void host::check_silence(const std::string& name, std::string_view line) {
  if (!process_ || line.find("timed out (exceeded") == line.npos) return;
  const auto begin = line.find(" to ") + 4;
  const std::string address(line.substr(begin, line.find(": ") - begin));
  if (process_->has_just_left_unread(address))
    world_.violated(name + " gives up a connection without reading what has arrived");
}

void host::note_older_data(std::size_t which, std::string_view line) {
  if (!line.starts_with("the servers came back with older data")) return;
  const bool by_a_node = line.find(" resurrected=") != line.npos;
  world_.statistics.count(by_a_node ? seen::node_found_again : seen::data_found_older);
  ++older_data_told_[which];
  if (!world_.design.servers_are_restored)
    world_.violated(text(name_, '.', which, " takes the data of the servers for older"));
}

// A client that waits for long changes its server only if that server has a node of its own, or may
// have kept the event of the delete back.
void host::check_change(const std::string& name, std::string_view line) {
  constexpr std::string_view reason = "it has a node that the quorum has not: ";
  const auto found = line.find(reason);
  if (found == line.npos) return;
  world_.statistics.count(seen::server_changed);
  auto path = line.substr(found + reason.size());
  if (!world_.servers_garble && !world_.is_kept(path.substr(0, path.find(' '))))
    world_.violated(
        text(name, " waits for a node of all servers, or of none, and changes the server"));
}

// A client that moves leaves a server that is not in its list. It may also leave a server whose
// name in the list it cannot resolve: to stay at a server of the list before would be worse.
void host::check_list(const std::string& name, std::string& list, std::string_view line) {
  constexpr char unresolved = '?';
  if (line.starts_with("the list of servers has changed ")) list = line.substr(line.find('='));
  constexpr std::string_view fails = "cannot resolve ";
  if (line.starts_with(fails)) {
    const auto server = line.substr(fails.size(), line.find(':') - fails.size());
    if (const auto found = list.find(server); found != list.npos)
      list.insert(found + server.size(), 1, unresolved);
  }
  constexpr std::string_view leaves = "leaving ";
  if (!line.starts_with(leaves)) return;
  world_.statistics.count(seen::session_moved);
  for (std::size_t i = 0; i < servers::replicas; ++i)
    if (line.substr(leaves.size()).starts_with(address_of_server(i)) && is_in_list(list, i) &&
        list.find(std::string(name_of_server(i)) + unresolved) == list.npos)
      world_.violated(name + " leaves a server that is in its list");
}

// In a calm history every server is healthy. In every history a client logs if it ends a connection
// itself.
void host::check_loss(const std::string& name, std::string_view line) {
  const auto& design = world_.design;
  const bool given_up = line.find(": given up: ") != line.npos && !design.is_memory_scarce;
  if (given_up || (design.calm && line.starts_with("lost the connection to ")))
    world_.violated(text(name, " gives up a connection to a healthy server: ", line));
}

// A client tells of the end of a session that it has had.
void host::check_expiry(const std::string& name, std::string_view line) {
  if (line.starts_with("the session has expired session=0x0"))
    world_.violated(name + " tells of the end of a session that it has not had");
}

// All servers are of no use to the client, or the last server is: the client has ended, and another
// client takes its place.
void host::note_failure(std::size_t which, std::string_view line) {
  if (!line.starts_with("no server is usable")) return;
  world_.statistics.count(seen::client_failed);
  const auto& design = world_.design;
  if (!design.servers_misanswer && !design.servers_demand_authentication)
    world_.violated(text(name_, '.', which, " fails: ", line));
  note_closed(which);
  destroy_client_after(draw(world_.random, 10ms, 3s), which, lives_);
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

void host::set_servers(std::size_t which, const std::string& servers) {
  if (!process_ || !clients_[which]) return;
  world_.statistics.count(seen::list_changed);
  world_.tell(name_, '.', which, " is told the servers ", servers);
  process_->call([&] {
    const life::call now(*life_);
    clients_[which]->set_servers(servers + chroot_of(which));
  });
}

void host::destroy_client(std::size_t which) {
  if (!process_ || !clients_[which]) return;
  world_.statistics.count(seen::client_destroyed);
  world_.tell(name_, '.', which, " is destroyed");
  // A callback of this very client may destroy it.
  note_closed(which);
  auto gone = std::move(clients_[which]);
  const bool unwinds = is_unwound();
  process_->call([&] {
    const life::call now(*life_);
    call_somehow(unwinds, [&] { gone.reset(); });
  });
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
  process_->call([&] {
    start_by<void(zklock::error_code)>(life_, false, name + " closes", clients_[which]->close(),
                                       std::move(closed));
  });
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
    const bool failed = is_closed_[i];
    auto closed = [this, i, begun, session, failed](zklock::error_code error) {
      --open_clients_;
      check_closed(text(name_, '.', i), session, error);
      if (error && error != zklock::errc::closed && !failed)
        world_.violated(text(name_, '.', i, " could not close: ", error.message()));
      if (world_.clock().now() - begun > time_to_end_session)
        world_.violated(text(name_, '.', i, " took too long to close"));
    };
    note_closed(i);
    process_->call([&] {
      start_by<void(zklock::error_code)>(life_, false, text(name_, '.', i, " closes"),
                                         clients_[i]->close(), std::move(closed));
    });
  }
}

bool host::is_connected() const {
  return std::all_of(clients_.begin(), clients_.end(),
                     [](const auto& each) { return !each || each->connected(); });
}

bool host::uses_lists() const {
  if (!process_) return true;
  for (std::size_t i = 0; i < servers::replicas; ++i) {
    const bool is_listed = std::any_of(lists_.begin(), lists_.end(),
                                       [i](const auto& each) { return is_in_list(*each, i); });
    if (!is_listed && kernel_.net().has_client(process_->name(), address_of_server(i)))
      return false;
  }
  return true;
}

bool host::uses_session(std::int64_t session) const {
  if (!process_) return false;
  for (std::size_t i = 0; i < clients_.size(); ++i)
    if (clients_[i] && !is_closed_[i] && clients_[i]->session_id() == session) return true;
  return false;
}

} // namespace deterministic
