#include "testing/memory/access_control.hpp"
#include "testing/memory/server_core.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <utility>

namespace zklock::testing::memory {

namespace {

std::string hexadecimal(std::int64_t number) {
  std::array<char, 16> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(),
                                 static_cast<std::uint64_t>(number), 16);
  return "0x" + std::string(digits.data(), end.ptr);
}

} // namespace

void server_core::answer(connection_id connection, std::int32_t xid, const local_request& request) {
  std::visit([&](const auto& each) { answer(connection, xid, each); }, request);
}

void server_core::answer(connection_id connection, std::int32_t, const ping_request&) {
  reply(connection, ping_xid, code::ok);
}

void server_core::answer(connection_id connection, std::int32_t xid, const sync_request& request) {
  reply(connection, xid, code::ok, path_reply{request.path});
}

void server_core::answer(connection_id connection, std::int32_t xid, const auth_request& request) {
  client& sender = clients_.at(connection);
  auto added = authenticate(request.scheme, request.credentials, sender.host);
  // Replies to `auth` have no zxid.
  out_->send(connection, encode(xid, 0, added ? code::ok : code::auth_failed));
  if (!added) return close(connection);
  auto& identities = sender.session.identities;
  const bool known = std::any_of(identities.begin(), identities.end(), [&](const identity& each) {
    return each.scheme == added->scheme && each.id == added->id;
  });
  if (!known) identities.push_back(std::move(*added));
}

void server_core::answer(connection_id connection, std::int32_t xid,
                         const set_watches_request& request) {
  for (const auto& event : watches_.set_again(connection, request, tree_))
    out_->send(connection, encode(event));
  reply(connection, xid, code::ok);
}

void server_core::answer(connection_id connection, std::int32_t xid,
                         const find_watch_request& request) {
  reply(connection, xid, watches_.find(connection, request));
}

void server_core::answer(connection_id connection, std::int32_t xid, const whoami_request&) {
  reply(connection, xid, code::ok, whoami_reply{clients_.at(connection).session.identities});
}

void server_core::answer(connection_id connection, std::int32_t xid, const unsupported_request&) {
  out_->send(connection, encode(xid, 0, code::unimplemented));
  close(connection);
}

void server_core::answer(connection_id connection, std::int32_t xid, const malformed_request&) {
  reply(connection, xid, code::marshalling_error);
}

std::string server_core::answer_word(const std::string& word) const {
  if (word == "ruok") return "imok";
  if (word == "wchp") return watches_by_path();
  if (word != "srvr") return word + " is not executed because it is not in the whitelist.\n";
  // The server follows the protocol and the rules of this version.
  return "Zookeeper version: 3.8.0-zklock::testing::memory_server\nConnections: " +
         std::to_string(clients_.size()) + "\nZxid: " + hexadecimal(tree_.last_zxid()) +
         "\nMode: standalone\nNode count: " + std::to_string(tree_.paths().size()) + '\n';
}

std::string server_core::watches_by_path() const {
  std::string text;
  for (const auto& [path, watchers] : watches_.by_path()) {
    text.append(path).append(1, '\n');
    for (connection_id each : watchers)
      text += '\t' + hexadecimal(clients_.at(each).session.id) + '\n';
  }
  return text + '\n';
}

} // namespace zklock::testing::memory
