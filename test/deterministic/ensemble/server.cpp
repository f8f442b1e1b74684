#include "server.hpp"

#include <zklock/testing/error.hpp>

#include "testing/memory/access_control.hpp"

#include <chrono>
#include <utility>

namespace deterministic::servers {

using state = client_connection::state;

// ---- Reading requests.

void server::receive(const connection& from, std::string_view bytes) {
  connections_.emplace(from->number, from);
  from->input.append(bytes);
  read(from);
}

void server::read(const connection& from) {
  try {
    while (from->now == state::new_ || from->now == state::open) {
      from->is_throttled =
          in_process_ > environment_.options.outstanding_limit && from->outstanding > 0;
      if (from->is_throttled) throttled_.insert(from->number);
      if (from->is_throttled || from->is_stalled) return;
      const auto frame = from->input.next();
      if (!frame) return;
      handle(from, *frame);
    }
  } catch (const zklock::testing::error&) {
    close(from);
  }
}

void server::handle(const connection& from, const std::string& frame) {
  if (from->now == state::new_) return begin_session(from, memory::decode_connect(frame));
  auto what = memory::decode(frame);
  const auto table = environment_.order.table();
  if (environment_.dice.below(100) != 0) return touch(from, std::move(what), table);
  // The thread waits between taking the table of touched sessions and writing to it.
  from->is_stalled = true;
  const auto time = std::chrono::microseconds(environment_.dice.between(1, 20'000));
  environment_.on.after(time, [self = weak_from_this(), from, what = std::move(what), table] {
    const auto here = self.lock();
    from->is_stalled = false;
    if (!here || from->is_closed()) return;
    here->touch(from, what, table);
    here->read(from);
  });
}

void server::touch(const connection& from, memory::request what, std::uint64_t table) {
  if (environment_.order.touch(from->session.id, from->timeout, table))
    handle(from, std::move(what));
  else
    from->is_blameless = false;
}

void server::handle(const connection& from, memory::request what) {
  if (const auto* local = std::get_if<memory::local_request>(&what.body)) {
    if (std::holds_alternative<memory::auth_request>(*local)) {
      if (!authenticate(from, what)) close(from);
      return;
    }
  }
  if (is_demanded(from)) return demand(from, what.xid);
  enqueue(from, std::move(what));
}

// Nothing is read any more, and the connection ends soon after the reply.
void server::demand(const connection& from, std::int32_t xid) {
  from->is_blameless = false;
  from->is_stalled = true;
  send(from, memory::encode(xid, environment_.data.last, memory::code::session_closed));
  environment_.on.after(std::chrono::milliseconds(20), [self = weak_from_this(), from] {
    if (const auto here = self.lock()) here->close(from);
  });
}

bool server::is_demanded(const connection& from) const noexcept {
  return environment_.demands_authentication && from->session.identities.empty();
}

bool server::authenticate(const connection& from, const memory::request& what) {
  const auto& request = std::get<memory::auth_request>(std::get<memory::local_request>(what.body));
  const auto proven = memory::authenticate(request.scheme, request.credentials, "127.0.0.1");
  if (proven) from->session.identities.push_back(*proven);
  send(from,
       memory::encode(memory::auth_xid, 0, proven ? memory::code::ok : memory::code::auth_failed));
  return proven.has_value();
}

// A write is forwarded at once, although earlier requests of the session may wait.
void server::enqueue(const connection& from, memory::request what) {
  const auto session = from->session.id;
  ++in_process_;
  ++from->outstanding;
  from->asked.push_back(from->reads_of);
  pending next{from, std::move(what)};
  const auto error = environment_.refused.draw(next.what, environment_.dice);
  // A client also checks a node that it does not know, once it has its list.
  if (error != memory::code::ok && from->has_listed_own && only_checks(next.what))
    from->is_blameless = false;
  const auto parts = error == memory::code::ok ? 0 : failing_parts(next.what, error);
  const bool fails_in_part = parts != 0 && !environment_.dice.chance(30);
  if (error != memory::code::ok && !fails_in_part) {
    next.refused = error;
    queues_[session].push_back(std::move(next));
    return advance(session);
  }
  const auto* write_body = std::get_if<memory::write_request>(&next.what.body);
  const auto* local = std::get_if<memory::local_request>(&next.what.body);
  if (write_body != nullptr) {
    next.number = ++environment_.last_number;
    queues_[session].push_back(next);
    write ordered{environment_.id, next.number, from->session, *write_body};
    if (fails_in_part) ordered.failure = error;
    if (fails_in_part) ordered.failed_part = environment_.dice.below(parts);
    return environment_.order.submit(std::move(ordered));
  }
  if (local != nullptr && std::holds_alternative<memory::sync_request>(*local)) {
    const auto number = ++environment_.last_number;
    if (environment_.order.sync(number)) next.number = number;
  }
  queues_[session].push_back(std::move(next));
  advance(session);
}

// ---- Connections.

// A server that sends garbage may close the connection.
void server::send(const connection& to, std::string frame) {
  to->send(std::move(frame));
  if (to->is_closed()) forget(to);
}

void server::close(const connection& which) {
  which->close();
  forget(which);
}

void server::closed(const connection& by, bool left) {
  if (left && by->is_blameless && !by->is_late(by->reads_of))
    environment_.facts.left(environment_.id, by->session.id, by->reads_of);
  forget(by);
}

void server::forget(const connection& which) {
  watches_.remove(which->number);
  connections_.erase(which->number);
  throttled_.erase(which->number);
  const auto erase_from = [&](auto& table) {
    std::erase_if(table, [&](const auto& each) { return each.second == which; });
  };
  const auto session = by_session_.find(which->session.id);
  if (session != by_session_.end() && session->second == which) by_session_.erase(session);
  erase_from(revalidating_);
  erase_from(beginning_);
}

void server::stop() {
  for (const auto& [number, each] : connections_)
    each->close();
  connections_.clear();
}

std::vector<std::string> server::watched() const {
  std::vector<std::string> all;
  for (const auto& [path, connections] : watches_.by_path())
    all.push_back(path);
  return all;
}

} // namespace deterministic::servers
