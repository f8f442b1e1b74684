#include "server.hpp"

#include <utility>

namespace deterministic::servers {

// ---- Requests that the leader has ordered.

std::deque<server::pending>* server::queue_with(session_id session, std::uint64_t number) {
  const auto found = queues_.find(session);
  if (found == queues_.end() || found->second.empty()) return nullptr;
  return found->second.front().number == number ? &found->second : nullptr;
}

// The events precede every reply that shows the change.
void server::applied(const transaction& what, const memory::outcome& result) {
  for (const auto& each : watches_.trigger(result.events))
    if (const auto found = connections_.find(each.connection); found != connections_.end()) {
      const auto to = found->second;
      send(to, memory::encode(each.event));
    }
  const auto& [origin, number, session, request, failure, failed_part] = what.what;
  const bool ours = origin == environment_.id && number != 0;
  if (ours && std::holds_alternative<memory::create_session_request>(request)) {
    const auto found = beginning_.find(number);
    if (found == beginning_.end()) return;
    const auto of = found->second;
    beginning_.erase(found);
    return finish_begin(of, result.error == memory::code::ok);
  }
  if (auto* queue = ours ? queue_with(session.id, number) : nullptr) {
    const auto answered_one = std::move(queue->front());
    queue->pop_front();
    reply(answered_one, result, what.id);
    advance(session.id);
  }
  if (std::holds_alternative<memory::close_session_request>(request)) end_session(session.id);
}

void server::synced(std::uint64_t number) {
  for (auto& [session, queue] : queues_) {
    if (queue.empty() || queue.front().number != number) continue;
    queue.front().number = 0;
    return advance(session);
  }
}

// ---- Requests that this replica answers by itself.

void server::advance(session_id session) {
  for (;;) {
    const auto found = queues_.find(session);
    if (found == queues_.end()) return;
    auto& queue = found->second;
    if (queue.empty()) {
      queues_.erase(found);
      return;
    }
    if (queue.front().number != 0) return;
    const auto next = std::move(queue.front());
    queue.pop_front();
    answer_read(next);
  }
}

void server::answer_read(const pending& what) {
  memory::outcome result;
  if (!what.from->is_closed()) {
    result.error = environment_.order.check(what.from->session.id);
    const bool is_refused = what.refused != memory::code::ok;
    if (result.error == memory::code::ok)
      result = is_refused ? memory::outcome{.error = what.refused} : carry_out(what);
  }
  reply(what, result, environment_.data.last);
}

memory::outcome server::carry_out(const pending& what) {
  const auto number = what.from->number;
  const auto& data = environment_.data;
  if (const auto* read = std::get_if<memory::read_request>(&what.what.body)) {
    auto result = data.tree.read(*read, what.from->session);
    environment_.kept.show(*read, what.from->session.id, result);
    watches_.add(number, *read, result);
    if (std::holds_alternative<memory::get_ephemerals_request>(*read))
      what.from->has_listed_own = true;
    return result;
  }
  const auto& local = std::get<memory::local_request>(what.what.body);
  if (const auto* sync = std::get_if<memory::sync_request>(&local))
    return {.body = memory::path_reply{sync->path}};
  if (const auto* again = std::get_if<memory::set_watches_request>(&local)) {
    for (const auto& each : watches_.set_again(number, *again, data.tree))
      send(what.from, memory::encode(each));
    return {};
  }
  if (const auto* find = std::get_if<memory::find_watch_request>(&local))
    return {.error = watches_.find(number, *find)};
  if (std::holds_alternative<memory::whoami_request>(local))
    return {.body = memory::whoami_reply{what.from->session.identities}};
  if (std::holds_alternative<memory::unsupported_request>(local))
    return {.error = memory::code::unimplemented};
  return {};
}

// ---- Replies.

// The error that the session has moved ends the connection. A client may leave a server for an
// error that is not about its request, and where a write is refused that shows how new the data of
// the server is: the first or the second write. It surely does so, and then waits, for the first
// write of an old session, unless it conceals its newest zxid: then it asks each server once.
void server::reply(const pending& to, const memory::outcome& result, zxid id) {
  --to.from->outstanding;
  --in_process_;
  const auto& from = to.from;
  const bool is_of_request = !is_of_session(result.error);
  if (!is_of_request ||
      (result.error != memory::code::ok && from->replies < 2 && is_empty(to.what))) {
    const bool is_first = std::exchange(from->is_blameless, false);
    const auto& begun = from->connect;
    const bool waits = begun.last_zxid_seen != 0 && !shows_server(result.error) &&
                       (!is_of_request || (from->replies == 0 && begun.session_id != 0));
    if (is_first && waits) environment_.facts.turned_away(from->session.id);
  }
  from->answered(environment_.on.now());
  if (result.error == memory::code::session_moved && to.refused == memory::code::ok)
    close(from);
  else
    send(from, memory::encode(to.what.xid, id, result.error, result.body));
  if (in_process_ > environment_.options.outstanding_limit || throttled_.empty()) return;
  for (const auto number : std::exchange(throttled_, {}))
    if (const auto found = connections_.find(number); found != connections_.end())
      environment_.on.after(time_point::zero(), [self = weak_from_this(), which = found->second] {
        const auto here = self.lock();
        if (here && !which->is_closed()) here->read(which);
      });
}

} // namespace deterministic::servers
