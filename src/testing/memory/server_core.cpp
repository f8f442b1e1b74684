#include "testing/memory/server_core.hpp"

#include <zklock/testing/error.hpp>

#include "testing/memory/access_control.hpp"
#include "testing/session_password.hpp"

#include <algorithm>
#include <utility>

namespace zklock::testing::memory {
namespace {

bool has_password(const connect_request& request) {
  const session_password password = password_of(request.session_id);
  return request.password ==
         std::string_view(reinterpret_cast<const char*>(password.data()), password.size());
}

} // namespace

server_core::server_core(const session_limits& limits, milliseconds container_check_interval,
                         std::int64_t first_session_id, connections& out)
    : out_(&out),
      sessions_(limits, first_session_id),
      container_check_interval_(container_check_interval) {}

void server_core::open(connection_id connection, const std::string& host) {
  client& added = clients_[connection];
  added.host = host;
  added.session.identities = {{"ip", host}};
}

void server_core::receive(connection_id connection, std::string_view bytes, const instant& now) {
  auto sender = clients_.find(connection);
  if (sender == clients_.end()) return;
  sender->second.frames.append(bytes);
  try {
    while (handle_next(connection, now)) {}
  } catch (const error&) {
    // Like the servers: bytes that are no request end the connection.
    close(connection);
  }
}

bool server_core::handle_next(connection_id connection, const instant& now) {
  auto found = clients_.find(connection);
  if (found == clients_.end()) return false;
  client& sender = found->second;
  if (!sender.connected) {
    if (auto word = sender.frames.four_letter_word()) {
      out_->send(connection, answer_word(*word));
      close(connection);
      return false;
    }
  }
  auto frame = sender.frames.next();
  if (!frame) return false;
  if (sender.connected)
    handle(connection, decode(*frame), now);
  else
    connect(connection, decode_connect(*frame), now);
  return true;
}

void server_core::connect(connection_id connection, const connect_request& request,
                          const instant& now) {
  client& sender = clients_.at(connection);
  sender.connected = request;
  // The client has seen a state that this server has lost.
  if (request.last_zxid_seen > tree_.last_zxid()) return close(connection);
  sender.timeout = sessions_.negotiate(request.timeout);
  if (request.session_id == 0) {
    sender.session.id = sessions_.make_id();
    sessions_.begin(sender.session.id, sender.timeout, now.elapsed);
    apply(create_session_request{sender.timeout}, {sender.session.id, {}}, now);
  } else {
    if (auto earlier = connection_of(request.session_id)) close(*earlier);
    if (!has_password(request) ||
        !sessions_.touch(request.session_id, sender.timeout, now.elapsed)) {
      out_->send(connection, encode(connect_response{}, request));
      return close(connection);
    }
    sender.session.id = request.session_id;
  }
  sessions_.move(sender.session.id, connection);
  out_->send(connection,
             encode(connect_response{sender.timeout, sender.session.id, false}, request));
}

void server_core::handle(connection_id connection, const request& request, const instant& now) {
  const client& sender = clients_.at(connection);
  auto* local = std::get_if<local_request>(&request.body);
  // The servers handle credentials apart from requests.
  if (!local || !std::holds_alternative<auth_request>(*local))
    sessions_.touch(sender.session.id, sender.timeout, now.elapsed);
  if (local) return answer(connection, request.xid, *local);
  if (auto* read = std::get_if<read_request>(&request.body)) {
    const outcome result = tree_.read(*read, sender.session);
    watches_.add(connection, *read, result);
    return reply(connection, request.xid, result.error, result.body);
  }
  const auto& write = std::get<write_request>(request.body);
  if (std::holds_alternative<close_session_request>(write)) {
    const std::int64_t session = sender.session.id;
    apply(close_session_request{}, {session, {}}, now);
    sessions_.end(session);
    reply(connection, request.xid, code::ok);
    return close(connection);
  }
  const outcome result = apply(write, sender.session, now);
  reply(connection, request.xid, result.error, result.body);
}

outcome server_core::apply(const write_request& request, const session_info& session,
                           const instant& now) {
  outcome result = tree_.apply(request, session, tree_.last_zxid() + 1, now.wall);
  // Clients see the events of a write before its reply.
  for (const auto& each : watches_.trigger(result.events)) {
    const auto& identities = clients_.at(each.connection).session.identities;
    if (is_permitted(each.event.acl, can_read, identities))
      out_->send(each.connection, encode(each.event));
  }
  return result;
}

void server_core::reply(connection_id connection, std::int32_t xid, code error,
                        const reply_body& body) {
  out_->send(connection, encode(xid, tree_.last_zxid(), error, body));
}

void server_core::closed(connection_id connection) {
  watches_.remove(connection);
  clients_.erase(connection);
}

void server_core::close(connection_id connection) {
  closed(connection);
  out_->close(connection);
}

void server_core::advance(const instant& now) {
  for (std::int64_t session : sessions_.expire(now.elapsed))
    end_session(session, now);
  if (now.elapsed < next_container_check_) return;
  next_container_check_ = now.elapsed + container_check_interval_;
  for (const auto& path : tree_.empty_containers())
    apply(reap_request{path}, {}, now);
}

milliseconds server_core::next_advance() const {
  return std::min(sessions_.next_expiry().value_or(next_container_check_), next_container_check_);
}

bool server_core::expire(std::int64_t session, const instant& now) {
  if (!tree_.sessions().contains(session)) return false;
  end_session(session, now);
  return true;
}

void server_core::end_session(std::int64_t session, const instant& now) {
  apply(close_session_request{}, {session, {}}, now);
  sessions_.end(session);
  if (auto connection = connection_of(session)) close(*connection);
}

void server_core::drop_connections() {
  while (!clients_.empty())
    close(clients_.begin()->first);
}

void server_core::restart(const instant& now) {
  drop_connections();
  for (const auto& [session, timeout] : tree_.sessions())
    sessions_.begin(session, timeout, now.elapsed);
}

std::optional<connection_id> server_core::connection_of(std::int64_t session) const {
  auto found = std::find_if(clients_.begin(), clients_.end(),
                            [&](const auto& each) { return each.second.session.id == session; });
  if (found == clients_.end()) return {};
  return found->first;
}

} // namespace zklock::testing::memory
